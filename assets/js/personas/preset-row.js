/** In the settings: which preset the sampling parameters are, and the menu of presets. */

import { el, icon, setText } from "../dom.js";
import { toggleMenu } from "../menu.js";
import * as settings from "../settings.js";
import { on, state } from "../store.js";
import { strings } from "../strings.js";
import { editPreset } from "./editor.js";
import { textOf } from "./known.js";
import { openManager } from "./manager.js";

const words = strings.presets;

/** Not part of how words are chosen: a preset leaves them alone unless it names them. */
const APART = ["max_tokens", "seed", "stop"];

const name = el("span", { class: "qc-choice-name" });
const button = el(
  "button",
  { type: "button", class: "qc-choice", id: "preset-choice", "aria-haspopup": "menu",
    "aria-expanded": "false", onClick: () => toggleMenu(button, words.label, items(), { start: true }) },
  name,
  icon("chevron"),
);

/** Above the sliders. */
export const presetRow = el(
  "div",
  { class: "qc-choice-row" },
  el("span", { class: "qc-choice-label", text: words.label }),
  button,
);

export function startPresetRow() {
  on(["presets", "settings", "open", "conversation", "engine"], draw);
  draw();
}

function draw() {
  const preset = currentPreset();
  const text = preset ? textOf(preset.name) : isUntouched() ? words.model : words.own;
  setText(name, text);
  button.setAttribute("aria-label", words.current(text));
}

/** @param {Record<string, any>} sampling @param {Record<string, any>} [preset] */
function withoutApart(sampling, preset = {}) {
  return Object.fromEntries(
    Object.entries(sampling).filter(([key]) => key in preset || !APART.includes(key)),
  );
}

/** Nothing is set, so the model's own parameters hold. */
const isUntouched = () => Object.keys(withoutApart(settings.draft().sampling)).length === 0;

/** The one whose values are those that hold; nothing is one where all are the model's own. */
function currentPreset() {
  if (isUntouched()) return undefined;
  const now = settings.effective();
  const model = settings.defaultsNow();
  const { sampling } = settings.draft();
  return state.presets.find((preset) => {
    const wanted = { ...model, ...preset.sampling };
    const names = Object.keys({ ...withoutApart(sampling, preset.sampling), ...preset.sampling });
    return names.every((key) => JSON.stringify(now[key]) === JSON.stringify(wanted[key]));
  });
}

/** @param {Record<string, any>} preset  Sampling parameters. */
function choose(preset) {
  const kept = Object.entries(settings.draft().sampling).filter(([key]) => APART.includes(key));
  settings.replace({ sampling: { ...Object.fromEntries(kept), ...preset } });
}

/** @returns {import("../menu.js").Item[]} */
function items() {
  const current = currentPreset();
  const { sampling } = settings.draft();
  const changed = Object.keys(sampling).length > 0;
  return [
    { label: words.model, icon: null, checked: isUntouched(), run: () => choose({}) },
    ...state.presets.map((preset) => ({
      label: textOf(preset.name),
      icon: null,
      checked: preset === current,
      run: () => choose(preset.sampling),
    })),
    ...(changed
      ? [{ label: words.saveAs, icon: /** @type {const} */ ("plus"), apart: true, run: () => editPreset(null, { sampling }) }]
      : []),
    { label: words.manage, icon: "rename", apart: !changed, run: () => openManager("presets") },
  ];
}
