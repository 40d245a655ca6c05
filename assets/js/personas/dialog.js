/** The frame of a window over the page: a title, a way to close it, and what is in it. */

import { questions } from "../ask.js";
import { el, iconButton } from "../dom.js";
import { strings } from "../strings.js";

/**
 * Open one; afterwards the focus is where it was.
 *
 * @param {string} title
 * @param {Node[]} content
 * @param {{mayClose?: () => boolean | Promise<boolean>, onClose?: () => void}} [options]
 *   `mayClose` is asked when the person closes it.
 */
export function openDialog(title, content, { mayClose = () => true, onClose = () => {} } = {}) {
  const before = document.activeElement;
  const dialog = el(
    "dialog",
    { class: "qc-window", "aria-label": title, onKeydown: keepKeys, onCancel: leave },
    el("div", { class: "qc-window-head" }, el("h2", { text: title }), iconButton("close", strings.ask.close, leave)),
    ...content,
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    onClose();
  });
  questions.append(dialog);
  dialog.showModal();
  return { dialog, close: () => dialog.close() };

  /** @param {Event} event */
  async function leave(event) {
    event.preventDefault();
    event.stopPropagation();
    if (await mayClose()) dialog.close();
  }
}

/** What lies below would close too. @param {KeyboardEvent} event */
function keepKeys(event) {
  if (event.key === "Escape") event.stopPropagation();
}
