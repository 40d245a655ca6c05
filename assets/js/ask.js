/** A question that must be answered before something is done, and news that must be read. */

import { el } from "./dom.js";
import { strings } from "./strings.js";

const words = strings.ask;

/** Mounted once; the browser shows what is open in it over everything else. */
export const questions = el("div", { class: "qc-questions" });

/**
 * Ask. Escape is no; afterwards the focus is where it was.
 *
 * @param {{title: string, text: string, yes: string, no?: string, danger?: boolean}} question
 * @returns {Promise<boolean>}
 */
export async function ask({ title, text, yes, no = words.cancel, danger = false }) {
  const kind = danger ? "qc-button qc-danger-button" : "qc-button qc-primary";
  const buttons = [
    el("button", { value: "", class: "qc-button" }, no),
    el("button", { value: "yes", class: kind }, yes),
  ];
  // Enter does what is harmless.
  return (await show(title, text, buttons, danger ? buttons[0] : buttons[1])) === "yes";
}

/**
 * Have one of two ways chosen; Escape and Cancel are neither.
 *
 * @template {string} T
 * @param {{title: string, text: string, ways: Record<T, string>}} question  The last way is
 *   the usual one.
 * @returns {Promise<T | "">}
 */
export function askWhich({ title, text, ways }) {
  const buttons = Object.entries(ways).map(([value, label], at, all) =>
    el("button", { value, class: at === all.length - 1 ? "qc-button qc-primary" : "qc-button" },
      /** @type {string} */ (label)));
  const cancel = el("button", { value: "", class: "qc-button" }, words.cancel);
  return /** @type {Promise<any>} */ (
    show(title, text, [cancel, ...buttons], /** @type {HTMLButtonElement} */ (buttons.at(-1)))
  );
}

/** Say why something was not done. @param {string} title @param {string} text */
export function tell(title, text) {
  const close = el("button", { value: "", class: "qc-button qc-primary" }, words.close);
  return show(title, text, [close], close);
}

/**
 * @param {string} title
 * @param {string} text
 * @param {HTMLButtonElement[]} buttons
 * @param {HTMLButtonElement} first  Which has the focus.
 */
function show(title, text, buttons, first) {
  const before = document.activeElement;
  const dialog = el(
    "dialog",
    { class: "qc-ask", "aria-label": title, onKeydown: stopEscape },
    el(
      "form",
      { method: "dialog" },
      el("h2", { dir: "auto", text: title }),
      el("p", { dir: "auto", text }),
      el("div", { class: "qc-ask-buttons" }, ...buttons),
    ),
  );
  questions.append(dialog);
  dialog.showModal();
  first.focus();
  return /** @type {Promise<string>} */ (
    new Promise((resolve) => {
      dialog.addEventListener("close", () => {
        dialog.remove();
        if (before instanceof HTMLElement) before.focus({ preventScroll: true });
        resolve(dialog.returnValue);
      });
    })
  );
}

/** What lies below would close too. @param {KeyboardEvent} event */
function stopEscape(event) {
  if (event.key === "Escape") event.stopPropagation();
}
