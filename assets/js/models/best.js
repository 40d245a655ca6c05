/** The model to recommend on this machine, as a card. */

import { el, setText } from "../dom.js";
import { on, state } from "../store.js";
import { strings } from "../strings.js";
import { createFetchButton } from "./fetch-button.js";
import { variantOf } from "./library.js";
import { createProblem, dotted } from "./parts.js";

const words = strings.get;

const name = el("h3", { dir: "auto" });
const facts = el("p", { class: "qc-number" });
const why = el("p", { class: "qc-hint", dir: "auto" });
const problem = createProblem();
const fetch = createFetchButton(problem.update, true);

export const bestCard = el(
  "section",
  { class: "qc-best", "aria-label": words.best, hidden: true },
  el("div", { class: "qc-best-what" },
    el("p", { class: "qc-best-label", text: words.best }), name, facts, why, problem.root),
  fetch.root,
);

export function startBest() {
  on(["library", "downloads"], draw);
  draw();
}

function draw() {
  const found = variantOf(state.library?.best ?? null);
  bestCard.hidden = !found;
  if (!found) return;
  const { row, variant } = found;
  setText(name, row.name);
  setText(facts, dotted([
    !variant.installed && words.toDownload(variant.download_bytes),
    words.here(strings.speed.about(variant.speed.expected)),
    variant.method !== "none" && words.methods[variant.method],
  ]));
  setText(why, words.why(variant.fit.message));
  fetch.update(variant.id, row.name, variant.installed);
}
