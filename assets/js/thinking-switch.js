/** Whether the model is to think: a button at the message box, and a row of the settings. */

import { el, icon, setText } from "./dom.js";
import * as settings from "./settings.js";
import { on, state } from "./store.js";
import { strings } from "./strings.js";
import { isHybrid, isThinking } from "./thinking-mode.js";
import { toast } from "./toast.js";

const words = strings.thinking;
const SMALLEST = 16;
const LARGEST = 1_000_000;

/** At the message box, for models that have the choice. */
export const thinkingButton = el(
  "button",
  { type: "button", id: "thinking", class: "qc-thinking-button", hidden: true, "aria-pressed": "false",
    onClick: toggle },
  icon("bulb"),
  el("span", { text: words.label }),
);

const box = el("input", { type: "checkbox", role: "switch", id: "thinking-switch", "aria-describedby": "thinking-hint",
  onChange: toggle });
const choice = el("label", { class: "qc-thinking-choice" }, el("span", { text: words.label }), box);
const hint = el("p", { id: "thinking-hint", class: "qc-hint" });
const budget = el("input", {
  type: "number",
  id: "thinking-budget",
  min: SMALLEST,
  max: LARGEST,
  step: 1,
  placeholder: words.noLimit,
  "aria-describedby": "thinking-budget-hint",
  onInput: budgetTyped,
  onBlur: draw,
});
const budgetProblem = el("p", { class: "qc-notice", role: "alert", hidden: true, text: words.budgetRange });
const budgetRow = el(
  "div",
  { class: "qc-thinking-budget" },
  el("label", { for: "thinking-budget", text: words.budget }),
  budget,
  el("p", { id: "thinking-budget-hint", class: "qc-hint", text: words.budgetHint }),
  budgetProblem,
);
const greedy = el("p", { class: "qc-notice", role: "status", hidden: true });

/** In the settings, for models that think. */
export const thinkingRow = el("div", { class: "qc-thinking-row", hidden: true }, choice, hint, greedy, budgetRow);

export function startThinkingSwitch() {
  on(["engine", "settings", "open", "conversation"], draw);
  draw();
}

/** Likely to go round in circles. */
const isGreedy = () => isThinking(settings.draft().thinking) && settings.effective().temperature === 0;

function toggle() {
  settings.replace({ thinking: isThinking(settings.draft().thinking) ? "off" : "on" });
  if (isGreedy()) toast({ text: words.greedy });
}

function budgetTyped() {
  const text = budget.value.trim();
  const value = Number(text);
  const unreadable = text === "" && budget.validity.badInput;
  const wrong = unreadable || (text !== "" && !(Number.isInteger(value) && value >= SMALLEST && value <= LARGEST));
  budgetProblem.hidden = !wrong;
  if (!wrong) settings.replace({ thinking_budget: text === "" ? null : value });
}

function draw() {
  const { thinking, thinking_budget: limit } = settings.draft();
  const hybrid = isHybrid();
  const thinks = isThinking(thinking);
  thinkingButton.hidden = choice.hidden = !hybrid;
  thinkingButton.setAttribute("aria-pressed", String(thinks));
  thinkingButton.title = thinks ? words.turnOff : words.turnOn;
  box.checked = thinks;
  thinkingRow.hidden = !hybrid && state.engine?.thinking !== "thinking_only";
  setText(hint, hybrid ? words.hint : words.always);
  budgetRow.hidden = !thinks;
  greedy.hidden = !isGreedy();
  setText(greedy, greedy.hidden ? "" : words.greedy);
  if (document.activeElement === budget) return;
  budgetProblem.hidden = true;
  budget.value = limit === null ? "" : String(limit);
}
