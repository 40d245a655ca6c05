/** Any model by its id, or a folder: judged first, then downloaded or used. */

import { api, reasonOf } from "../api.js";
import { el, icon, setText } from "../dom.js";
import { on } from "../store.js";
import { strings } from "../strings.js";
import { createFetchButton } from "./fetch-button.js";
import { installedOf, nameOf } from "./library.js";
import { createFit, createProblem, dotted, textButton } from "./parts.js";

/** @typedef {import("../types.js").Checked} Checked */

const words = strings.get;

const field = el("input", { type: "text", id: "model-id", class: "qc-input", placeholder: words.anyPlaceholder,
  autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
const button = el("button", { class: "qc-button" }, words.check);
const checking = el("p", { class: "qc-hint", role: "status" });
const failed = createProblem();

const title = el("h4", { dir: "auto" });
const mark = el("span", { class: "qc-verdict-mark" });
const verdict = el("span");
const facts = el("span", { class: "qc-number" });
const fit = createFit();
const reason = el("p", { dir: "auto" });
const disk = createProblem();
const ownCode = el("p", { class: "qc-own-code" }, icon("warning"), el("span", { text: words.ownCode }));
const there = el("p", { class: "qc-hint", text: words.there });
const problem = createProblem();
const fetch = createFetchButton(problem.update, true);
const nearest = textButton(words.check, () => {
  field.value = checked?.nearest ?? "";
  void check();
});
const card = el(
  "section",
  { class: "qc-checked", id: "model-checked", hidden: true },
  title,
  el("p", { class: "qc-verdict" }, mark, verdict),
  el("div", { class: "qc-hint qc-facts" }, facts, fit.word),
  fit.sentence,
  reason,
  ownCode,
  disk.root,
  there,
  problem.root,
  el("div", { class: "qc-actions" }, fetch.root, nearest),
);

export const checkField = el(
  "form",
  { class: "qc-check", onSubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    void check();
  } },
  el("label", { for: field.id, text: words.anyLabel }),
  el("div", { class: "qc-check-line" }, field, button),
  checking,
  failed.root,
  card,
);

/** @type {Checked | null} */
let checked = null;
/** Of the check that runs; another one ends it. @type {AbortController | null} */
let running = null;

export function startCheckField() {
  on(["downloads", "library"], draw);
  draw();
}

async function check() {
  const value = field.value.trim();
  if (!value) return field.focus();
  running?.abort();
  const mine = (running = new AbortController());
  checked = null;
  problem.update("");
  failed.update("");
  setText(checking, words.checking);
  draw();
  try {
    checked = await api.checkModel(value, mine.signal);
  } catch (error) {
    if (mine.signal.aborted) return;
    failed.update(reasonOf(error));
  }
  setText(checking, "");
  draw();
}

function draw() {
  card.hidden = !checked;
  if (!checked) return;
  const { id, supported } = checked;
  const isHere = checked.installed || installedOf(id)?.problem === null; // it may have arrived since
  setText(title, id);
  if (card.dataset.supported !== String(supported)) {
    mark.replaceChildren(icon(supported ? "check" : "close"));
    card.dataset.supported = String(supported);
  }
  setText(verdict, supported ? words.runs : words.runsNot);
  setText(facts, dotted([
    checked.download_bytes !== null && !isHere && words.toDownload(checked.download_bytes),
    checked.speed && strings.speed.about(checked.speed.expected),
  ]));
  fit.update(checked.fit);
  setText(reason, checked.reason);
  reason.hidden = !checked.reason;
  ownCode.hidden = !checked.own_code;
  disk.update(checked.disk_problem ?? "");
  there.hidden = !isHere;
  fetch.root.hidden = !supported;
  if (supported) fetch.update(id, nameOf(id), isHere);
  nearest.hidden = supported || !checked.nearest;
  if (checked.nearest) setText(nearest, words.checkNearest(checked.nearest));
}
