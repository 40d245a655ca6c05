/** One message on the page, whoever wrote it. */

import { answerView } from "./answer-message.js";
import { asideView } from "./aside-message.js";
import { showVersion } from "./message-actions.js";
import { userView } from "./user-message.js";
import { strings } from "./strings.js";

/** @typedef {import("./types.js").Message} Message */
/** @typedef {ReturnType<typeof createMessageView>} MessageView */

const KINDS = {
  user: { make: userView, label: strings.chat.user },
  assistant: { make: answerView, label: strings.chat.assistant },
  system: { make: asideView, label: strings.message.system },
  tool: { make: asideView, label: strings.message.tool },
};

/** @param {Message} first */
export function createMessageView(first) {
  const { make, label } = KINDS[first.role];
  const view = /** @type {ReturnType<typeof answerView> & {unfold?: () => void}} */ (make(first));
  const { root } = view;
  let message = first;
  root.classList.add("qc-message");
  root.setAttribute("aria-label", label);
  root.tabIndex = -1;
  root.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || !event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (message.versions.length < 2 || event.target instanceof HTMLTextAreaElement) return;
    event.preventDefault(); // the browser would leave the page
    showVersion(message, /** @type {-1 | 1} */ (step), null);
  });

  /** @param {Message} next @param {boolean} last  No message is below it. */
  function update(next, last) {
    message = next;
    root.dataset.role = next.role;
    root.dataset.state = next.state;
    root.dataset.messageId = next.id;
    root.classList.toggle("qc-last", last);
    view.update(next, last);
  }

  const { append, think = () => {}, progress, end, edit, unfold = () => {} } = view;
  return { root, update, append, think, progress, end, edit, unfold };
}
