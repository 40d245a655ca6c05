/** The tab of the models that can be had: the best one, any one, and all of the catalogue. */

import { el } from "../dom.js";
import { onText } from "../ime.js";
import { on, state } from "../store.js";
import { strings } from "../strings.js";
import { bestCard, startBest } from "./best.js";
import { checkField, startCheckField } from "./check-field.js";
import { createGetRow } from "./get-row.js";
import { readLibrary } from "./library.js";
import { createList, createProblem, textButton } from "./parts.js";

/** @typedef {import("../types.js").Row} Row */
/** @typedef {import("./get-row.js").Shown} Shown */

const words = strings.get;

const reading = el("p", { class: "qc-hint", text: strings.models.reading });
const problem = createProblem();
const again = textButton(strings.models.again, () => void readLibrary());
const offline = el("p", { class: "qc-offline", text: words.offline, hidden: true });
const noneCompared = el("p", { class: "qc-hint", text: words.noneCompared });
const filter = el("input", { type: "search", class: "qc-input", id: "model-filter", placeholder: words.search,
  "aria-label": words.searchLabel, autocomplete: "off", spellcheck: "false",
  onKeydown: (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape" && filter.value) event.stopPropagation(); // it empties the field
  } });
const onlyFitting = el("input", { type: "checkbox", id: "model-fits", checked: true, onChange: draw });
const groups = el("div", { class: "qc-groups" });
const nothing = el("div", { class: "qc-models-none", hidden: true }, el("p", { text: words.nothing }),
  textButton(words.showAll, () => {
    filter.value = "";
    onlyFitting.checked = false;
    draw();
    filter.focus();
  }));
const catalogue = el("section", { class: "qc-catalogue" },
  el("div", { class: "qc-filters" }, filter,
    el("label", { class: "qc-switch" }, onlyFitting, el("span", { text: words.onlyFitting }))),
  noneCompared, groups, nothing);

export const getView = el(
  "div",
  { class: "qc-models-view" },
  el("div", { class: "qc-models-scroll" }, reading, problem.root, again, offline, bestCard, checkField, catalogue),
);

const drawGroups = createList(groups, createGroup, (/** @type {Shown[]} */ shown) => shown[0].row.generation);

export function startGet() {
  onText(filter, draw);
  startBest();
  startCheckField();
  on(["library", "downloads", "panel"], draw);
  draw();
}

/** @param {string} generation */
function createGroup(generation) {
  const list = el("ul", { class: "qc-models-list" });
  const update = createList(list, createGetRow, (/** @type {Shown} */ { row }) => row.id);
  return { root: el("section", {}, el("h3", { dir: "auto", text: generation }), list), update };
}

function draw() {
  if (state.panel !== "get") return;
  const library = state.library;
  reading.hidden = Boolean(library || state.libraryProblem);
  problem.update(state.libraryProblem && strings.models.notRead(state.libraryProblem));
  again.hidden = !state.libraryProblem;
  catalogue.hidden = !library;
  if (!library) return;
  offline.hidden = !library.machine.offline;
  const some = library.rows.some((row) => row.verified);
  noneCompared.hidden = some || library.machine.offline;
  /** @type {Map<string, Shown[]>} */
  const byGeneration = new Map();
  // The newest first, and within a generation the largest last, as sizes are read.
  for (const row of [...library.rows].sort((one, other) => other.released.localeCompare(one.released))) {
    const shown = seen(row, row.verified || !some || library.machine.offline);
    if (!shown) continue;
    byGeneration.set(row.generation, [...(byGeneration.get(row.generation) ?? []), shown]);
  }
  const all = [...byGeneration.values()];
  for (const group of all) group.sort((one, other) => one.row.parameters - other.row.parameters);
  drawGroups(all);
  nothing.hidden = all.length > 0;
}

/**
 * What of a row the filters leave; null for nothing.
 *
 * @param {Row} row
 * @param {boolean} compared
 * @returns {Shown | null}
 */
function seen(row, compared) {
  const wanted = filter.value.trim().toLowerCase().split(/\s+/);
  const has = (/** @type {string} */ text) => wanted.every((word) => text.toLowerCase().includes(word));
  const whole = has(`${row.name} ${row.id} ${row.generation}`);
  const variants = row.variants.filter((one) =>
    !one.reason
    && (whole || has(`${row.name} ${one.id} ${words.methods[one.method]}`))
    && !(onlyFitting.checked && one.fit.answer === "does_not_fit"));
  const cannot = [
    ...row.variants.filter((one) => one.reason).map(({ id, reason }) => ({ id, reason, nearest: row.id })),
    ...row.cannot,
  ].filter((one) => whole || has(one.id));
  const isThere = variants.length > 0 || (cannot.length > 0 && !(onlyFitting.checked && whole));
  return isThere ? { row, variants, cannot, compared } : null;
}
