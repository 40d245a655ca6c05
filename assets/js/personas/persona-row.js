/** In the settings: which persona the conversation has, and the menu to choose and make them. */

import { el, icon, setText } from "../dom.js";
import { toggleMenu } from "../menu.js";
import * as settings from "../settings.js";
import { on, state } from "../store.js";
import { strings } from "../strings.js";
import { choosePersona, currentPersona } from "./choosing.js";
import { editPersona } from "./editor.js";
import { pictureOf } from "./icons.js";
import { textOf } from "./known.js";
import { openManager } from "./manager.js";

const words = strings.personas;

const picture = el("span", { class: "qc-choice-picture" });
const name = el("span", { class: "qc-choice-name" });
const button = el(
  "button",
  { type: "button", class: "qc-choice", id: "persona-choice", "aria-haspopup": "menu",
    "aria-expanded": "false", onClick: () => toggleMenu(button, words.label, items(), { start: true }) },
  picture,
  name,
  icon("chevron"),
);

/** For the head of the settings. */
export const personaRow = el(
  "div",
  { class: "qc-choice-row" },
  el("span", { class: "qc-choice-label", id: "persona-label", text: words.label }),
  button,
);

export function startPersonaRow() {
  on(["personas", "settings", "open", "conversation"], draw);
  draw();
}

function draw() {
  const persona = currentPersona();
  const text = persona ? textOf(persona.name) : words.none;
  setText(name, text);
  button.setAttribute("aria-label", words.current(text));
  picture.replaceChildren(...(persona ? [pictureOf(persona)] : []));
}

/** @returns {import("../menu.js").Item[]} */
function items() {
  const current = currentPersona()?.id;
  const { system_prompt, sampling } = settings.draft();
  return [
    ...state.personas.map((persona) => ({
      label: textOf(persona.name),
      icon: pictureOf(persona),
      checked: persona.id === current,
      run: () => void choosePersona(persona),
    })),
    { label: words.saveAs, icon: "plus", apart: true, run: () => editPersona(null, { system_prompt, sampling }) },
    { label: words.manage, icon: "rename", run: () => openManager("personas") },
  ];
}
