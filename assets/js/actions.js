/** What the person does to a conversation; each ends in a request to the server. */

import { api } from "./api.js";
import { inDemo, isDemo } from "./demo.js";
import { fileChoice } from "./files/attached.js";
import { choiceFor, choose } from "./overflow-choice.js";
import { open } from "./router.js";
import * as settings from "./settings.js";
import { addMessages, emit, markTemporary, setPending, setTemporaryDraft, state } from "./store.js";

/**
 * Send a message, in a new conversation when none is open.
 *
 * @param {string} content
 * @param {import("./types.js").Overflow} [overflow]
 * @param {import("./types.js").Attachment[]} [attachments]
 * @returns {Promise<{error: import("./api.js").ApiError | null, id: string | null}>}
 */
export async function send(content, overflow = choiceFor(state.openId), attachments = []) {
  let id = state.openId;
  const pending = { content, attachments, id };
  setPending(pending);
  try {
    if (id === null) {
      const temporary = state.temporaryDraft || isDemo;
      const draft = inDemo(settings.draft());
      const conversation = await api.createConversation(temporary ? { ...draft, temporary } : draft);
      if (temporary) markTemporary(conversation.id);
      id = conversation.id;
      if (choiceFor(null)) choose(id, choiceFor(null) ?? null);
      choose(null, null);
      if (state.openId === null) {
        settings.draftWasUsed();
        pending.id = id;
        open(id);
      }
    } else {
      await settings.flush();
    }
    const files = attachments.map(fileChoice);
    const { user, assistant } = await api.sendMessage(/** @type {string} */ (id), { content, overflow, files });
    addMessages(/** @type {string} */ (id), [user, assistant]);
    return { error: null, id };
  } catch (error) {
    return { error: /** @type {any} */ (error), id };
  } finally {
    if (state.pending === pending) setPending(null);
  }
}

/** @param {() => Promise<any>} request  Its failure becomes a calm line at the composer. */
async function attempt(request) {
  try {
    await request();
    return true;
  } catch (error) {
    emit("problem", /** @type {Error} */ (error).message);
    return false;
  }
}

export const stop = () => attempt(() => api.stop(state.openId ?? ""));

export const restartEngine = () => attempt(api.restartEngine);

/** @param {unknown} [temporary]  True for a chat of which nothing is written. */
export function newChat(temporary) {
  setTemporaryDraft(temporary === true);
  open(null);
}
