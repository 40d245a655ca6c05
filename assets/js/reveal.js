/** Bringing the message an address names into view, on whichever branch it is. */

import { api, reasonOf } from "./api.js";
import { follow } from "./live.js";
import { emit, on, state } from "./store.js";
import { strings } from "./strings.js";

/** Frames without the message, after its branch is shown, that are taken for old ones. */
const PATIENCE = 3;

let asked = "";
let left = 0;

/**
 * Call the result whenever the conversation was drawn anew.
 *
 * @param {(messageId: string) => void} show
 */
export function createReveal(show) {
  function attempt() {
    const { reveal: wanted, conversation } = state;
    if (!wanted || !conversation) return;
    if (conversation.messages.some((message) => message.id === wanted)) {
      state.reveal = null;
      asked = "";
      show(wanted);
    } else if (asked !== wanted) {
      asked = wanted;
      left = PATIENCE;
      showBranch(conversation.id, wanted);
    } else if (left-- <= 0) giveUp(strings.message.gone);
  }

  on("reveal", () => {
    asked = "";
    const there = state.conversation?.messages.some((message) => message.id === state.reveal);
    if (there) attempt(); // otherwise the frame that was asked for decides
  });
  return attempt;
}

/** @param {string} id @param {string} messageId */
async function showBranch(id, messageId) {
  try {
    await api.showMessage(id, messageId);
    if (state.openId === id) follow();
  } catch (error) {
    const gone = /** @type {any} */ (error).code === "message_not_found";
    if (state.reveal === messageId) giveUp(gone ? strings.message.gone : reasonOf(error));
  }
}

/** @param {string} why */
function giveUp(why) {
  state.reveal = null;
  asked = "";
  emit("problem", why);
}
