/** The two levels of the settings: the sliders in words, and the expert's part, folded. */

import { el, icon, setText } from "../dom.js";
import * as settings from "../settings.js";
import { recall, remember } from "../storage.js";
import { on, state } from "../store.js";
import { strings } from "../strings.js";
import { LEVELS, stepOf } from "./levels.js";

const words = strings.levels;
const KEY = "expert";
const root = document.documentElement;
const SIMPLE = Object.values(LEVELS).map(({ parameter }) => parameter);

const count = el("span", { class: "qc-hint" });
const button = el(
  "button",
  { type: "button", class: "qc-expert", id: "expert-switch", "aria-controls": "settings-expert", onClick: toggle },
  icon("next"),
  el("span", { text: words.expert }),
  count,
);

/** Above the expert's part. */
export const expertSwitch = el("div", {}, button);

/** What each slider's value is called. @type {Map<string, HTMLElement>} */
const outputs = new Map();

export function startLevels() {
  unfold(recall(KEY) === "open");
  on(["settings", "open", "conversation", "engine"], draw);
  draw();
}

/** Gradio's sliders show numbers; ours say a word. */
export function adoptLevels() {
  for (const name of Object.keys(LEVELS)) {
    const field = document.getElementById(`setting-${name}`);
    if (field?.querySelector(".qc-level")) continue;
    const head = field?.querySelector(".head");
    if (!head) return void requestAnimationFrame(adoptLevels);
    const output = el("output", { class: "qc-level" });
    head.parentElement?.append(output);
    outputs.set(name, output);
  }
  const first = document.querySelector("#setting-reply_language label span");
  if (first) first.textContent = words.autoLanguage;
  draw();
}

function draw() {
  const values = state.engine?.defaults ? settings.effective() : settings.draft().sampling;
  for (const [name, output] of outputs) {
    const value = values[LEVELS[name].parameter];
    // Until the model is ready nobody knows what it takes where nothing is chosen.
    output.closest(".qc-setting")?.toggleAttribute("data-unknown", value === undefined);
    if (value === undefined) {
      setText(output, "–");
      continue;
    }
    const step = stepOf(name, value);
    const text = step < 0 ? words.between(LEVELS[name].parameter, value) : words[name][step];
    setText(output, text);
    output.toggleAttribute("data-between", step < 0);
    output.parentElement?.querySelector("input[type=range]")?.setAttribute("aria-valuetext", text);
  }
  const set = Object.keys(settings.draft().sampling).filter((name) => !SIMPLE.includes(name));
  setText(count, set.length ? words.changed(set.length) : "");
}

function toggle() {
  const open = root.dataset.expert !== "open";
  remember(KEY, open ? "open" : null);
  unfold(open);
}

/** @param {boolean} open */
function unfold(open) {
  root.dataset.expert = open ? "open" : "closed";
  button.setAttribute("aria-expanded", String(open));
}
