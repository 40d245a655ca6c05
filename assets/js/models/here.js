/** The tab of the models on this machine. */

import { el, setText } from "../dom.js";
import { openPanel } from "../router.js";
import { on, state } from "../store.js";
import { strings } from "../strings.js";
import { createHereRow } from "./here-row.js";
import { readLibrary } from "./library.js";
import { createList, createProblem, textButton } from "./parts.js";

/** @typedef {import("../types.js").Installed} Installed */

const words = strings.models;

const reading = el("p", { class: "qc-hint", text: words.reading });
const problem = createProblem();
const again = textButton(words.again, () => void readLibrary());
const list = el("ul", { class: "qc-models-list" });
const none = el("div", { class: "qc-models-none", hidden: true },
  el("p", { text: words.none }), textButton(words.getOne, () => openPanel("get")));
const disk = el("p", { class: "qc-hint qc-models-foot qc-number" });

export const hereView = el(
  "div",
  { class: "qc-models-view" },
  el("div", { class: "qc-models-scroll" }, reading, problem.root, again, list, none),
  disk,
);

/** One model can lie in several places. @param {Installed} model */
const keyOf = ({ id, path }) => `${id}\n${path}`;

const drawList = createList(list, createHereRow, keyOf);

export function startHere() {
  on(["library", "verification", "panel"], draw);
  draw();
}

function draw() {
  if (state.panel !== "here") return;
  const library = state.library;
  reading.hidden = Boolean(library || state.libraryProblem);
  problem.update(state.libraryProblem && words.notRead(state.libraryProblem));
  again.hidden = !state.libraryProblem;
  drawList(library?.installed ?? []);
  none.hidden = !library || library.installed.length > 0;
  disk.hidden = !library;
  if (library) setText(disk, words.disk(library.machine.disk_bytes));
}
