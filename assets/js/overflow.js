/** What to do about a turn that does not fit the context: a calm row above the message box. */

import { el, icon } from "./dom.js";
import { fileChoices } from "./files/attached.js";
import { waysForFiles } from "./files/too-long.js";
import { hasText, isMeasured, lastMeasurement } from "./measure.js";
import * as actions from "./message-actions.js";
import { choiceFor, choose } from "./overflow-choice.js";
import { emit, on, state } from "./store.js";
import { strings } from "./strings.js";

/** @typedef {import("./types.js").Overflow} Overflow */

/** An answer of fewer tokens is none (chat/context.py). */
const SHORTEST_ANSWER = 16;
const words = strings.overflow;

const title = el("p", { class: "qc-overflow-title", id: "overflow-title" });
const ways = el("div", { class: "qc-overflow-ways" });

export const overflowRow = el(
  "div",
  { class: "qc-overflow", role: "group", "aria-labelledby": "overflow-title", hidden: true },
  icon("warning"),
  el("div", { class: "qc-overflow-main" }, title, ways),
);

export function startOverflow() {
  on(["measured", "open", "pending"], draw);
}

/** What goes along with a message that does not fit. @returns {Overflow | undefined} */
export function overflowChoice() {
  const now = lastMeasurement();
  const chosen = choiceFor(state.openId);
  if (!now || now.fits) return chosen;
  return possible().includes(chosen ?? "leave_out") ? chosen : possible()[0];
}

/** Whether the text in the box cannot be sent, whatever is left out. */
export function isTooLong() {
  const now = lastMeasurement();
  return isMeasured() && now !== null && !now.fits && !possible().length;
}

/** @returns {Overflow[]} the default first */
function possible() {
  const now = lastMeasurement();
  /** @type {Overflow[]} */
  const found = [];
  if (now?.can_leave_out) found.push("leave_out");
  if (now?.can_shorten) found.push("shorten");
  return found;
}

let drawn = "";

function draw() {
  const now = lastMeasurement();
  overflowRow.hidden = !now || now.fits || !hasText();
  const key = overflowRow.hidden ? "" : JSON.stringify([now, state.openId, fileChoices()]);
  if (key === drawn) return;
  drawn = key;
  if (overflowRow.hidden || !now) return;
  const focused = overflowRow.contains(document.activeElement) ? document.activeElement : null;
  const value = focused instanceof HTMLInputElement ? focused.value : "";
  const needed = now.prompt_tokens + now.reserve_tokens;
  const choices = possible();
  title.textContent = choices.length
    ? words.title(needed, now.context_length)
    : words.tooLong(now.prompt_tokens, now.context_length);
  const chosen = overflowChoice() ?? choices[0];
  const options = choices.map((way) => option(way, way === chosen, now));
  ways.replaceChildren(el("div", {}, ...(options.length ? options : [advice(now)])));
  const forFiles = waysForFiles();
  if (forFiles) ways.append(forFiles);
  if (choices.length && state.openId !== null && now.history_tokens > 0) {
    ways.append(
      el("button", { type: "button", class: "qc-button", onClick: () => actions.summarize() }, words.summarize),
    );
  }
  /** @type {HTMLElement | null} */ (ways.querySelector(`[value="${value}"]`))?.focus({ preventScroll: true });
}

/** @param {Overflow} way @param {boolean} checked @param {import("./types.js").Measurement} now */
function option(way, checked, now) {
  const input = el("input", { type: "radio", name: "overflow", value: way, onChange: () => {
    choose(state.openId, way);
    emit("measured");
  } });
  input.checked = checked;
  const detail = way === "leave_out" ? words.leavesOut(now.left_out) : words.shortensTo(now.short_answer_tokens);
  const name = way === "leave_out" ? words.leaveOut : words.shorten;
  return el(
    "label",
    { class: "qc-overflow-way" },
    input,
    el("span", {}, name, " ", el("span", { class: "qc-hint", text: detail })),
  );
}

/** @param {import("./types.js").Measurement} now */
function advice(now) {
  const rest = now.system_tokens + now.message_tokens + SHORTEST_ANSWER - now.context_length;
  return el("span", { class: "qc-hint", text: words.shortenBy(Math.max(1, rest)) });
}
