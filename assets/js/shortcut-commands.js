/** What each key of the page does; which key that is says shortcuts.js. */

import * as actions from "./actions.js";
import * as conversations from "./conversations.js";
import { isDemo } from "./demo.js";
import { copyText } from "./markdown/clipboard.js";
import { closeDrawer, isOpen, togglePanel } from "./panels.js";
import { open } from "./router.js";
import { isRunning } from "./running.js";
import { toggleSheet } from "./shortcut-sheet.js";
import { emit, state } from "./store.js";
import { strings } from "./strings.js";
import { toast } from "./toast.js";

const words = strings.keys;
const SECONDS = 4;

/** @param {string} id */
const focus = (id) => document.getElementById(id)?.focus();

function focusBox() {
  closeDrawer();
  focus("message-box");
}

export const commands = {
  newChat() {
    if (isDemo) return document.getElementById("demo-new-chat")?.click();
    actions.newChat();
    focusBox();
  },
  focusBox,
  stop() {
    if (isRunning()) void actions.stop();
  },
  copyLast: () => void copyLast(),
  editLast() {
    const mine = state.conversation?.messages.findLast((message) => message.role === "user");
    if (mine && !isRunning()) emit("edit", mine.id);
    else toast({ text: mine ? strings.composer.running : words.nothingToEdit, seconds: SECONDS });
  },
  search() {
    if (!isOpen("sidebar")) togglePanel("sidebar", true);
    focus("conversation-search");
  },
  previous: () => step(-1),
  next: () => step(1),
  sidebar: () => togglePanel("sidebar"),
  settings() {
    togglePanel("settings");
    focus(isOpen("settings") ? "system-prompt" : "message-box");
  },
  help: toggleSheet,
};

async function copyLast() {
  const last = state.conversation?.messages.findLast(
    (message) => message.role === "assistant" && message.content,
  );
  if (!last) return void toast({ text: words.nothingToCopy, seconds: SECONDS });
  const text = (await copyText(last.content)) ? words.copied : words.notCopied;
  toast({ text, seconds: SECONDS });
}

/** The conversation above or below in the list; from a new chat the first. @param {-1 | 1} by */
function step(by) {
  const ids = conversations.inOrder();
  const at = state.openId === null ? -1 : ids.indexOf(state.openId);
  const wanted = ids[at + by];
  if (wanted === undefined) return;
  closeDrawer();
  open(wanted);
}
