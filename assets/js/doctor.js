/** The check of this machine: what the doctor found, and what to do about it. */

import { api, reasonOf } from "./api.js";
import { el, icon, setText } from "./dom.js";
import { copyText } from "./markdown/clipboard.js";
import { createBar, createProblem, textButton } from "./models/parts.js";
import { inOurWords } from "./server-words.js";
import { on, state } from "./store.js";
import { strings } from "./strings.js";
import { toast } from "./toast.js";

/** @typedef {import("./types.js").DoctorCheck} Check */
/** @typedef {import("./types.js").DoctorReport} Report */

const words = strings.doctor;
const ICON = /** @type {const} */ ({ ok: "check", warning: "warning", problem: "close" });

/**
 * The first check of each group, in the report's order; a group that could not be looked at
 * is one line with the group's own name.
 *
 * @type {Record<string, keyof typeof words.groups>}
 */
const BEGINS = {
  system: "machine", machine: "machine",
  python: "packages", packages: "packages",
  openmp: "runtime", runtime: "runtime",
  "data folder": "data", data: "data",
};

const looking = el("p", { class: "qc-hint", text: words.looking });
const bar = createBar(words.looking);
const failed = createProblem();
const summary = el("p", { class: "qc-doctor-summary", role: "status" });
const guide = el("p", { class: "qc-hint", text: words.guide });
const groups = el("div", { class: "qc-doctor-groups" });
const again = textButton(words.again, () => void look());
const copy = textButton(words.copy, () => void copyReport());

export const doctorView = el(
  "div",
  { class: "qc-models-view" },
  el("div", { class: "qc-models-scroll" }, looking, bar.root, failed.root, summary, guide, groups),
  el("div", { class: "qc-models-foot qc-actions" }, again, copy),
);

/** @type {Report | null} */
let report = null;
let running = false;

export function startDoctor() {
  on("panel", () => state.panel === "doctor" && !report && void look());
  if (state.panel === "doctor") void look();
  draw();
}

async function look() {
  if (running) return;
  running = true;
  failed.update("");
  draw();
  try {
    report = await api.doctor();
  } catch (error) {
    failed.update(words.notDone(reasonOf(error)));
  }
  running = false;
  draw();
}

function draw() {
  looking.hidden = bar.root.hidden = !running;
  bar.update(null);
  again.disabled = running;
  copy.hidden = !report;
  summary.hidden = guide.hidden = groups.hidden = !report;
  doctorView.setAttribute("aria-busy", String(running));
  if (!report || running) return;
  const problems = count("problem");
  const warnings = count("warning");
  summary.dataset.status = report.status;
  setText(summary, problems + warnings ? words.counts(warnings, problems) : words.all);
  guide.hidden = problems === 0;
  groups.replaceChildren(...grouped(report.checks));
}

const count = (/** @type {Check["status"]} */ status) =>
  report?.checks.filter((check) => check.status === status).length ?? 0;

/** What needs somebody first, then the rest as the command has it. @param {Check[]} checks */
function grouped(checks) {
  /** @type {Map<keyof typeof words.groups, Check[]>} */
  const groupsOf = new Map([["attention", []]]);
  /** @type {keyof typeof words.groups} */
  let now = "machine";
  for (const check of checks) {
    now = BEGINS[check.name] ?? now;
    const group = check.status === "ok" ? now : "attention";
    groupsOf.set(group, [...(groupsOf.get(group) ?? []), check]);
  }
  return [...groupsOf]
    .filter(([, some]) => some.length > 0)
    .map(([name, some]) =>
      el("section", {}, el("h3", { text: words.groups[name] }), el("ul", {}, ...some.map(lineOf))));
}

/** @param {Check} check */
function lineOf({ name, status, summary: found, detail, fix }) {
  const fine = status === "ok";
  return el(
    "li",
    { class: "qc-check-row", "data-status": status },
    el("span", { class: "qc-check-status" }, icon(ICON[status]), words.words[status]),
    el("span", { class: "qc-check-name", dir: "auto", text: inOurWords(name) }),
    el("div", { class: "qc-check-found", dir: "auto" },
      el("p", { text: found }),
      !fine && detail ? el("p", { class: "qc-hint", text: detail }) : null,
      !fine && fix ? el("p", { class: "qc-check-fix", text: words.todo(fix) }) : null),
  );
}

async function copyReport() {
  toast({ text: (await copyText(asText(report?.checks ?? []))) ? words.copied : words.notCopied });
}

/** As the command prints it. @param {Check[]} checks */
function asText(checks) {
  const lines = checks.flatMap(({ name, status, summary: found, detail, fix }) => [
    `${status.padEnd(8)}${inOurWords(name).padEnd(14)}${found}`,
    ...(status === "ok" ? [] : [detail, fix && `-> ${fix}`].filter(Boolean).map((text) => " ".repeat(22) + text)),
  ]);
  return `${lines.join("\n")}\n`;
}
