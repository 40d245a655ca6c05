/** What every box for a message does: it grows with its text, and Enter may send. */

import { isTouch, setDirection } from "./dom.js";

const growsByItself = CSS.supports("field-sizing", "content");

/** Height and direction after any change. @param {HTMLTextAreaElement} box */
export function fit(box) {
  setDirection(box, box.value);
  if (growsByItself) return;
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}

/**
 * Enter sends, Shift+Enter makes a line; on a touch screen, or where `plain` is false, only
 * Ctrl+Enter or Cmd+Enter sends. The Enter of an input method never gets here (ime.js).
 *
 * @param {HTMLTextAreaElement} box
 * @param {() => void} send
 * @param {{plain?: boolean}} [options]
 */
export function sendOnEnter(box, send, { plain = true } = {}) {
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.altKey) return;
    if ((isTouch() || !plain) && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    send();
  });
}
