/** What the person does to a conversation; each ends in a request to the server. */

import { api } from "./api.js";
import { open } from "./router.js";
import * as settings from "./settings.js";
import { addMessages, emit, setPending, state } from "./store.js";

/**
 * Send a message, in a new conversation when none is open.
 *
 * @param {string} content
 * @returns {Promise<{error: import("./api.js").ApiError, id: string | null} | null>} null if sent
 */
export async function send(content) {
  let id = state.openId;
  const pending = { content, id };
  setPending(pending);
  try {
    if (id === null) {
      const conversation = await api.createConversation(settings.draft());
      id = conversation.id;
      if (state.openId === null) {
        settings.draftWasUsed();
        pending.id = id;
        open(id);
      }
    } else {
      await settings.flush();
    }
    const { user, assistant } = await api.sendMessage(/** @type {string} */ (id), content);
    addMessages(/** @type {string} */ (id), [user, assistant]);
    return null;
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

export async function regenerate() {
  const id = state.openId ?? "";
  return attempt(async () => {
    await settings.flush();
    await api.regenerate(id);
  });
}

export const restartEngine = () => attempt(api.restartEngine);

export const newChat = () => open(null);
