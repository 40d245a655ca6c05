/**
 * The name of the browser's tab: that of the open conversation. An answer that ended while
 * nobody looked at the tab stands before it until somebody does.
 */

import * as conversations from "./conversations.js";
import { isRunning } from "./running.js";
import { on, state } from "./store.js";
import { strings } from "./strings.js";

const words = strings.tab;

/** Which conversation was being answered when that was last looked at. @type {string | null} */
let running = null;
/** What ended unseen. @type {"" | "ready" | "failed"} */
let unseen = "";

export function startTabTitle() {
  on(["conversations", "open", "conversation", "message"], look);
  document.addEventListener("visibilitychange", look);
  look();
}

function look() {
  const { openId } = state;
  if (!document.hidden || (running !== null && running !== openId)) unseen = "";
  const now = isRunning() ? openId : null;
  // A lost connection says nothing about an answer; the next whole conversation does.
  if (running !== null && running === openId && now === null && state.conversation) {
    if (document.hidden) unseen = ended();
  }
  if (state.conversation || running !== openId) running = now;
  name();
}

/** @returns {"ready" | "failed"} */
function ended() {
  const last = state.conversation?.messages.at(-1);
  return last?.state === "failed" || last?.state === "interrupted" ? "failed" : "ready";
}

function name() {
  const { openId, conversation } = state;
  const title = (openId && conversations.get(openId)?.title) || conversation?.title;
  const plain = title ? strings.titled(title) : strings.app;
  const text = unseen ? words[unseen](title || strings.app) : plain;
  if (document.title !== text) document.title = text;
}
