/** The choice of light, dark, or as the system. first-paint.js puts it on the page. */

import { el, icon } from "./dom.js";
import { recall, remember } from "./storage.js";
import { strings } from "./strings.js";

/** @typedef {"light"|"dark"|"system"} Theme */

/** @returns {Theme} */
function chosen() {
  const stored = recall("theme");
  return stored === "light" || stored === "dark" ? stored : "system";
}

function draw() {
  const theme = chosen();
  for (const button of buttons) {
    button.setAttribute("aria-checked", String(button.dataset.theme === theme));
    button.tabIndex = button.dataset.theme === theme ? 0 : -1;
  }
}

/** @param {Theme} theme */
function choose(theme) {
  remember("theme", theme === "system" ? null : theme);
  dispatchEvent(new Event("qwenchat-theme"));
  draw();
}

/** @type {HTMLButtonElement[]} */
const buttons = /** @type {const} */ ([
  ["light", "sun"],
  ["dark", "moon"],
  ["system", "system"],
]).map(([theme, picture]) =>
  el(
    "button",
    {
      type: "button",
      role: "radio",
      "data-theme": theme,
      "aria-label": strings.theme[theme],
      title: strings.theme[theme],
      onClick: () => choose(theme),
    },
    icon(picture),
  ),
);

/** The three-way switch in the foot of the side bar. */
export const themeSwitch = el(
  "div",
  { class: "qc-theme", role: "radiogroup", "aria-label": strings.theme.label, onKeydown: move },
  ...buttons,
);

/** @param {KeyboardEvent} event  Arrow keys move within a radio group. */
function move(event) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const at = buttons.findIndex((button) => button === document.activeElement);
  const next = buttons[(at + step + buttons.length) % buttons.length];
  next.focus();
  choose(/** @type {Theme} */ (next.dataset.theme));
}

export function startTheme() {
  draw();
  addEventListener("storage", draw);
}
