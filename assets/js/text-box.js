/** What every box for a message does: it grows with its text, and Enter may send. */

import { isComposing, isTouch, setDirection } from "./dom.js";

/** Safari ends a composition just before the Enter that ended it arrives. */
const AFTER_COMPOSITION_MS = 5;
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
 * Ctrl+Enter or Cmd+Enter sends. The Enter of an input method never does.
 *
 * @param {HTMLTextAreaElement} box
 * @param {() => void} send
 * @param {{plain?: boolean}} [options]
 */
export function sendOnEnter(box, send, { plain = true } = {}) {
  let compositionEnd = -Infinity;
  box.addEventListener("compositionend", (event) => (compositionEnd = event.timeStamp));
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.altKey) return;
    if (isComposing(event) || event.timeStamp - compositionEnd < AFTER_COMPOSITION_MS) return;
    if ((isTouch() || !plain) && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    send();
  });
}
