/** Whether the open conversation is being answered, also by a version that is not shown. */

import * as conversations from "./conversations.js";
import { follow } from "./live.js";
import { on, runningMessage, state } from "./store.js";

const ASK_AGAIN_MS = 2000;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

export function isRunning() {
  const conversation = state.conversation;
  if (!conversation) return false;
  if (runningMessage()) return true;
  return (conversations.get(conversation.id) ?? conversation).running;
}

/** No list tells of a temporary chat: ask until an answer that is not shown has ended. */
export function startRunning() {
  on("conversation", () => {
    clearTimeout(timer);
    const unseen = state.conversation?.temporary && isRunning() && !runningMessage();
    if (unseen) timer = setTimeout(follow, ASK_AGAIN_MS);
  });
}
