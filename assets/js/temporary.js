/** Temporary chats, of which nothing is written: how one begins, and the line that says so. */

import { closeDrawer } from "./panels.js";
import * as actions from "./actions.js";
import { el, icon, iconButton } from "./dom.js";
import { remember } from "./storage.js";
import { on, state } from "./store.js";
import { strings } from "./strings.js";

/** Beside the button of a new chat. */
export const temporaryButton = iconButton(
  "temporary",
  strings.temporary.start,
  () => {
    closeDrawer();
    actions.newChat(!state.temporaryDraft);
    document.getElementById("message-box")?.focus({ preventScroll: true });
  },
  { id: "temporary-chat", "aria-pressed": "false" },
);

/** Above the chat. */
export const temporaryLine = el(
  "p",
  { class: "qc-temporary", id: "temporary-line", hidden: true },
  icon("temporary"),
  el("span", { text: strings.temporary.line }),
);

export function startTemporary() {
  on(["open", "conversation"], draw);
  draw();
}

function draw() {
  const { conversation, temporaryDraft } = state;
  const temporary = state.openId === null ? temporaryDraft : conversation?.temporary === true;
  temporaryLine.hidden = !temporary;
  temporaryButton.setAttribute("aria-pressed", String(state.openId === null && temporaryDraft));
  // What was typed between a reload and the moment the page learned what this chat is.
  if (conversation?.temporary) remember(`draft.${conversation.id}`, null);
}
