/** Choosing the part of a file that the model reads: two ends, with the count as they move. */

import { api, reasonOf } from "../api.js";
import { el, setText } from "../dom.js";
import { isMeasured, lastMeasurement, nextTurn } from "../measure.js";
import { emit, on } from "../store.js";
import { strings } from "../strings.js";
import { attached, setRange } from "./attached.js";
import { rangeWords } from "./chip.js";

/** @typedef {import("./attached.js").Item} Item */

const words = strings.files;

/** Pickers that are open, each to be drawn on news. @type {Set<() => void>} */
const open = new Set();
on(["files", "measured"], () => open.forEach((draw) => draw()));

/** @param {Item} item @param {() => void} onChange */
export function createRangePicker(item, onChange) {
  const file = /** @type {import("../types.js").FileValue} */ (item.file);
  const attributes = { min: 1, max: file.count, step: 1 };
  const name = words.ofUnits[file.unit];
  const first = el("input", { ...attributes, type: "number", class: "qc-range-number", "aria-label": `${name}: ${words.from}`, onChange: fromBoxes });
  const last = el("input", { ...attributes, type: "number", class: "qc-range-number", "aria-label": `${name}: ${words.to}`, onChange: fromBoxes });
  const low = el("input", { ...attributes, type: "range", "aria-label": `${name}: ${words.from}`, onInput: fromSlider });
  const high = el("input", { ...attributes, type: "range", "aria-label": `${name}: ${words.to}`, onInput: fromSlider });
  const slider = el("div", { class: "qc-range" }, low, high);
  const live = el("p", { class: "qc-range-live qc-number", role: "status" });
  const problem = el("p", { class: "qc-range-problem", role: "alert", hidden: true });
  const all = el("button", { type: "button", class: "qc-button", onClick: () => choose(1, file.count) }, words.all);
  const beginning = el("button", { type: "button", class: "qc-button", onClick: fit }, words.beginning);
  const root = el(
    "section",
    { class: "qc-preview-range", "aria-label": words.whatIsRead },
    el("div", { class: "qc-range-row" }, el("span", { text: name }), first, el("span", { text: words.to }), last, slider),
    el("div", { class: "qc-range-row" }, live, all, beginning),
    problem,
  );
  draw();
  open.add(draw);
  return { root, end: () => open.delete(draw) };

  function fromBoxes() {
    const from = within(Number(first.value) || 1, 1, file.count);
    choose(from, within(Number(last.value) || file.count, from, file.count));
  }

  /** @param {Event} event */
  function fromSlider(event) {
    let [from, to] = [Number(low.value), Number(high.value)];
    if (from > to) event.target === low ? (from = to) : (to = from);
    choose(from, to);
  }

  /** @param {number} from @param {number} to */
  function choose(from, to) {
    problem.hidden = true;
    setRange(item, from, to);
    draw();
    onChange();
  }

  async function fit() {
    beginning.disabled = true;
    const why = await useBeginning(item);
    beginning.disabled = false;
    problem.hidden = !why;
    setText(problem, why);
    draw();
    onChange();
  }

  function draw() {
    const [from, to] = [item.from ?? 1, item.to ?? file.count];
    for (const box of [first, low]) box.value = String(from);
    for (const box of [last, high]) box.value = String(to);
    slider.style.setProperty("--qc-from", String(share(from)));
    slider.style.setProperty("--qc-to", String(share(to)));
    all.disabled = item.from === null;
    const now = lastMeasurement();
    const counted = item.tokens === null ? words.counting : words.tokens(item.tokens);
    const fits = now && isMeasured() ? ` · ${now.fits ? words.fits : words.doesNotFit}` : "";
    live.dataset.state = now && isMeasured() && !now.fits ? "over" : "fits";
    setText(live, words.chosen(rangeWords({ ...file, from: item.from, to: item.to }), counted) + fits);
  }

  /** @param {number} value */
  function share(value) {
    return file.count > 1 ? (value - 1) / (file.count - 1) : 1;
  }
}

/**
 * Choose the longest beginning of a file with which the turn fits.
 *
 * @param {Item} item @returns {Promise<string>} why that did not work, or ""
 */
export async function useBeginning(item) {
  const file = /** @type {import("../types.js").FileValue} */ (item.file);
  try {
    const turn = nextTurn();
    // From the first page on, whatever was chosen before.
    const files = turn.files.map((one) => (one.id === file.id ? { id: one.id } : one));
    const { to } = await api.fitFile(file.id, { ...turn, files });
    if (to === null) return words.nothingFits;
    if (attached().includes(item)) setRange(item, 1, to);
    return "";
  } catch (error) {
    return reasonOf(error);
  }
}

/** The same from the row of what does not fit. @param {Item} item */
export async function useBeginningOf(item) {
  const why = await useBeginning(item);
  if (why) emit("problem", why);
}

/** @param {number} value @param {number} least @param {number} most */
const within = (value, least, most) => Math.min(Math.max(Math.round(value), least), most);
