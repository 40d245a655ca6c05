/**
 * The keys of the page: one table, from which the keys work and the help sheet is drawn.
 *
 * None is a key of the browser's own. With a modifier (Alt; on a Mac, where Alt types letters,
 * Control and Shift) a key works also while somebody types, because it types nothing; alone
 * only outside text boxes. A key that belongs to an input method never gets here (ime.js).
 */

import * as commands from "./shortcut-commands.js";
import { isDemo } from "./demo.js";
import { state } from "./store.js";

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/**
 * `key` as `event.key` names it. `bare`: alone, outside text boxes; `box`: alone, in the empty
 * message box. Otherwise with the modifier. `shown`: another way to write it in the sheet.
 *
 * @typedef {{key: string, bare?: boolean, box?: boolean}} Keys
 * @typedef {{id: keyof typeof commands.commands, group: "chat"|"page", keys: Keys[]}} Shortcut
 */

/** @type {Shortcut[]} */
const all = [
  { id: "newChat", group: "chat", keys: [{ key: "n" }] },
  { id: "focusBox", group: "chat", keys: [{ key: "m" }] },
  { id: "stop", group: "chat", keys: [{ key: "x" }] },
  { id: "copyLast", group: "chat", keys: [{ key: "c" }] },
  { id: "editLast", group: "chat", keys: [{ key: "u" }, { key: "ArrowUp", box: true }] },
  { id: "search", group: "page", keys: [{ key: "q" }, { key: "/", bare: true }] },
  { id: "previous", group: "page", keys: [{ key: "k" }] },
  { id: "next", group: "page", keys: [{ key: "j" }] },
  { id: "sidebar", group: "page", keys: [{ key: "l" }] },
  { id: "settings", group: "page", keys: [{ key: "o" }] },
  { id: "help", group: "page", keys: [{ key: "?", bare: true }] },
];

/** A demo has neither side bar. */
const NOT_IN_DEMO = ["search", "previous", "next", "sidebar", "settings"];

/** Those that are bound on this page. */
export const shortcuts = all.filter(({ id }) => !isDemo || !NOT_IN_DEMO.includes(id));

export function startShortcuts() {
  addEventListener("keydown", onKey);
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (event.defaultPrevented || event.repeat || isCovered()) return;
  const found = shortcuts.find(({ keys }) => keys.some((one) => isPressed(one, event)));
  if (!found) return;
  event.preventDefault();
  commands.commands[found.id]();
}

/** What lies over the page has keys of its own. */
const isCovered = () =>
  state.panel !== null || document.querySelector("dialog[open], [role=menu]") !== null;

/** @param {Keys} keys @param {KeyboardEvent} event */
function isPressed({ key, bare, box }, event) {
  const { altKey, ctrlKey, shiftKey, metaKey } = event;
  if (box || bare) {
    if (altKey || ctrlKey || metaKey || event.key !== key) return false;
    return box ? !shiftKey && isEmptyBox(event.target) : !typesText(event.target);
  }
  const modified = isMac
    ? ctrlKey && shiftKey && !altKey && !metaKey
    : altKey && !ctrlKey && !shiftKey && !metaKey;
  return modified && event.key.toLowerCase() === key;
}

/** @param {EventTarget | null} target */
const isEmptyBox = (target) =>
  target instanceof HTMLTextAreaElement && target.id === "message-box" && target.value === "";

const NO_TEXT = ["button", "checkbox", "radio", "range", "file", "submit", "reset"];

/** @param {EventTarget | null} target  Whether a letter pressed there becomes text. */
function typesText(target) {
  if (target instanceof HTMLInputElement) return !NO_TEXT.includes(target.type);
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLElement && target.isContentEditable;
}
