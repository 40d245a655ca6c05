/** What is behind an answer's figures: the model, the counts, and the settings it was asked with. */

import { el } from "./dom.js";
import { samplingParts } from "./personas/sampling-words.js";
import { strings } from "./strings.js";

const words = strings.answerDetails;
const MARGIN = 8;

/** @typedef {import("./types.js").Message} Message */

/**
 * The figures as a button that opens all there is to know.
 *
 * @param {Message} message @param {string} line
 */
export function detailsButton(message, line) {
  const button = el(
    "button",
    { type: "button", class: "qc-details qc-details-button", title: words.label, "aria-haspopup": "dialog",
      onClick: () => open(button, message) },
    line,
  );
  return button;
}

/** @param {HTMLElement} button @param {Message} message */
function open(button, message) {
  const parts = samplingParts(message.sampling ?? {});
  const root = el(
    "div",
    { class: "qc-popover qc-answer-about", popover: "auto", role: "dialog", tabindex: "-1", "aria-label": words.label,
      onKeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && event.stopPropagation() },
    el("dl", {}, ...figures(message).flatMap(row)),
    ...(parts.length ? [el("p", { class: "qc-part-title", text: words.settings }), el("dl", {}, ...parts.flatMap(row))] : []),
  );
  root.addEventListener("toggle", (event) => {
    if (/** @type {ToggleEvent} */ (event).newState === "closed") root.remove();
  });
  button.after(root);
  root.showPopover();
  place(button, root);
  root.focus({ preventScroll: true });
}

/** @param {Message} message @returns {[string, string][]} */
function figures({ model, usage, timings }) {
  /** @type {[string, string][]} */
  const rows = [];
  if (model) rows.push([words.model, model]);
  if (usage) {
    rows.push([words.tokens, words.count(usage.completion_tokens)]);
    rows.push([words.prompt, words.count(usage.prompt_tokens)]);
    rows.push([words.reused, words.count(usage.cached_tokens)]);
  }
  if (timings?.tokens_per_second) rows.push([words.rate, strings.details.rate(timings.tokens_per_second)]);
  if (timings) rows.push([words.first, words.seconds(timings.time_to_first_token_seconds)]);
  return rows;
}

/** @param {[string, string]} row */
const row = ([name, value]) => [el("dt", { text: name }), el("dd", { text: value })];

/** Above the button, or below it where there is more room; always inside the window. */
function place(/** @type {HTMLElement} */ button, /** @type {HTMLElement} */ root) {
  const at = button.getBoundingClientRect();
  const { width, height } = root.getBoundingClientRect();
  const above = at.top - height - MARGIN;
  const top = above >= MARGIN ? above : Math.min(at.bottom + MARGIN, innerHeight - height - MARGIN);
  root.style.top = `${Math.max(MARGIN, top)}px`;
  root.style.left = `${Math.max(MARGIN, Math.min(at.right - width, innerWidth - width - MARGIN))}px`;
}
