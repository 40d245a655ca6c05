/** A whole conversation as Markdown on the clipboard, with the messages that are not shown. */

import { api, reasonOf } from "./api.js";
import { icon, iconButton } from "./dom.js";
import { copyText } from "./markdown/clipboard.js";
import { emit, on, state } from "./store.js";
import { strings } from "./strings.js";
import { toast } from "./toast.js";

const words = strings.copyChat;

/** Stands above the chat while there is something to copy. */
export const copyChatButton = iconButton("copy", words.label, copy, { id: "copy-chat", hidden: true });

export function startCopyChat() {
  on(["open", "conversation"], () => {
    copyChatButton.hidden = !state.conversation?.messages.length;
  });
}

async function copy() {
  if (state.openId === null) return;
  try {
    const { messages } = await api.getConversation(state.openId);
    if (!(await copyText(asMarkdown(messages)))) return emit("problem", words.failed);
    toast({ text: words.done, seconds: 4 });
    copyChatButton.replaceChildren(icon("check"));
    setTimeout(() => copyChatButton.replaceChildren(icon("copy")), 1500);
  } catch (error) {
    emit("problem", reasonOf(error));
  }
}

/** @param {import("./types.js").Message[]} messages */
function asMarkdown(messages) {
  const said = messages.filter(({ content, attachments }) => content || attachments.length);
  return said
    .map(({ role, content, attachments }) => {
      const files = attachments.map(({ name }) => `- ${name}`).join("\n");
      const text = [files, content.trim()].filter(Boolean).join("\n\n");
      return `**${words.roles[role]}**\n\n${text}\n`;
    })
    .join("\n");
}
