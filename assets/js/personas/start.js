/** On an empty chat: who is to answer, and four questions to begin with. */

import { el } from "../dom.js";
import { on, state } from "../store.js";
import { strings } from "../strings.js";
import { choosePersona, currentPersona } from "./choosing.js";
import { editPersona } from "./editor.js";
import { pictureOf } from "./icons.js";
import { personaOf, questionsOf, textOf } from "./known.js";

const words = strings.personas;

/** @param {(text: string) => void} start  Sends a question. */
export function createStart(start) {
  const chips = el("div", { class: "qc-whos", role: "group", "aria-label": words.label });
  const cards = el("div", { class: "qc-start", role: "group", "aria-label": strings.empty.cardsLabel });
  let drawn = "";

  function draw() {
    const current = currentPersona();
    const key = JSON.stringify([state.personas, current?.id]);
    if (key === drawn) return;
    drawn = key;
    const focused = chips.contains(document.activeElement);
    chips.replaceChildren(...state.personas.map((persona) => chipOf(persona, persona === current)), plus());
    if (focused) /** @type {HTMLElement | null} */ (chips.querySelector("[aria-pressed=true]"))?.focus();
    const shown = current ?? personaOf("assistant");
    cards.replaceChildren(...(shown ? questionsOf(shown) : []).map(card));
    cards.hidden = cards.childElementCount === 0;
  }

  /** @param {string} text */
  const card = (text) =>
    el("button", { type: "button", class: "qc-start-card", dir: "auto", onClick: () => start(text) }, text);

  on(["personas", "settings", "open", "conversation"], draw);
  draw();
  return [chips, cards];
}

/** @param {import("../types.js").Persona} persona @param {boolean} isCurrent */
const chipOf = (persona, isCurrent) =>
  el(
    "button",
    { type: "button", class: "qc-who", "aria-pressed": String(isCurrent),
      onClick: () => isCurrent || void choosePersona(persona) },
    pictureOf(persona),
    el("span", { text: textOf(persona.name) }),
  );

const plus = () =>
  el(
    "button",
    { type: "button", class: "qc-who qc-who-new", "aria-label": words.create, title: words.create,
      onClick: () => editPersona(null) },
    "+",
  );
