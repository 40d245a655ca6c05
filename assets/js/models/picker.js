/** The menu behind the model's name: what is loaded, what else is here, and the way to more. */

import { el, icon, setText } from "../dom.js";
import { isMenuOf, toggleMenu } from "../menu.js";
import { size } from "../numbers.js";
import { openPanel } from "../router.js";
import { on, state } from "../store.js";
import { strings } from "../strings.js";
import { readLibrary } from "./library.js";
import { dotted } from "./parts.js";
import { switchFromAnywhere } from "./switching.js";

const words = strings.picker;

const name = el("span", { class: "qc-model-name", dir: "auto", text: strings.model.unknown });

/** In the top bar. */
export const picker = el(
  "button",
  { type: "button", id: "model-picker", "aria-haspopup": "menu", "aria-expanded": "false", onClick: toggle },
  name,
  icon("chevron"),
);

export function startPicker() {
  on("engine", draw);
  on("library", () => {
    if (!isMenuOf(picker) || !waits) return;
    toggle(); // away with what could not be complete
    toggle();
  });
  draw();
}

/** The menu that is open was opened before the models were known. */
let waits = false;

function draw() {
  const engine = state.engine;
  setText(name, engine?.model || strings.model.unknown);
  picker.title = engine?.model_note ?? "";
}

function toggle() {
  waits = state.library === null;
  if (waits) void readLibrary();
  toggleMenu(picker, words.label, items(), { head: head(), start: true });
}

/** What is loaded now. */
function head() {
  const engine = state.engine;
  const lines = [
    engine?.context_length && strings.model.context(engine.context_length),
    engine?.weights && words.weights(engine.weights),
    engine?.model_note,
  ];
  return el(
    "div",
    { class: "qc-menu-head", role: "none" },
    el("p", { class: "qc-menu-title", dir: "auto", text: engine?.model || strings.model.unknown }),
    ...lines.filter(Boolean).map((text) => el("p", { class: "qc-hint", dir: "auto", text })),
  );
}

/** @returns {import("../menu.js").Item[]} */
function items() {
  const usable = state.library?.installed.filter((one) => one.problem === null) ?? [];
  return [
    ...usable.map(itemOf),
    { label: words.get, icon: /** @type {const} */ ("download"), run: () => openPanel("get"), apart: true },
    { label: words.here, icon: /** @type {const} */ ("disk"), run: () => openPanel("here") },
    { label: words.doctor, icon: /** @type {const} */ ("pulse"), run: () => openPanel("doctor") },
  ];
}

/** @param {import("../types.js").Installed} model @returns {import("../menu.js").Item} */
function itemOf(model) {
  return {
    label: model.name,
    note: dotted([
      model.size_bytes > 0 && size(model.size_bytes),
      model.in_use ? words.inUse : model.fit && strings.fit[model.fit.answer],
    ]),
    icon: model.in_use ? "check" : null,
    checked: model.in_use,
    run: () => void (model.in_use || switchFromAnywhere(model.id, model.name)),
  };
}
