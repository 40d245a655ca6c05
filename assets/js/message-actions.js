/** What the person does to one message; each ends in a request to the server. */

import { api, reasonOf } from "./api.js";
import { fileChoice } from "./files/attached.js";
import { choiceFor } from "./overflow-choice.js";
import { open } from "./router.js";
import * as settings from "./settings.js";
import { emit, markTemporary, state } from "./store.js";
import { strings } from "./strings.js";
import { toast } from "./toast.js";

/** @typedef {import("./types.js").Message} Message */

const words = strings.message;

/**
 * @param {(id: string) => Promise<any>} request  Its failure becomes a calm line at the composer.
 * @returns {Promise<any>} false when it failed
 */
async function attempt(request) {
  try {
    return (await request(state.openId ?? "")) ?? true;
  } catch (error) {
    emit("problem", reasonOf(error));
    return false;
  }
}

/** Another version of an answer. @param {Message} message */
export const regenerate = (message) =>
  attempt(async (id) => {
    emit("answering");
    await settings.flush();
    await api.regenerate(id, { message_id: message.id, overflow: choiceFor(id) });
  });

/** Let an answer grow on. @param {Message} message */
export const continueAnswer = (message) =>
  attempt(async (id) => {
    emit("answering");
    await settings.flush();
    await api.continueMessage(id, message.id);
  });

/**
 * Send another text in place of a message: a branch beside it.
 *
 * @param {Message} message @param {string} content
 * @returns {Promise<string | null>} why it was not sent
 */
export async function sendInstead(message, content) {
  const id = state.openId ?? "";
  try {
    await settings.flush();
    await api.sendMessage(id, {
      content,
      parent_id: message.parent_id,
      overflow: choiceFor(id),
      files: message.attachments.map(fileChoice),
    });
    emit("answering");
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

/** @param {Message} message @param {string} content @returns {Promise<string | null>} */
export async function saveAnswer(message, content) {
  try {
    await api.editMessage(state.openId ?? "", message.id, content);
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

/**
 * Show the version before or after this one.
 *
 * @param {Message} message
 * @param {-1 | 1} step
 * @param {"previous" | "next" | null} control  Which button has the focus afterwards.
 */
export function showVersion(message, step, control) {
  const neighbour = message.versions[message.versions.indexOf(message.id) + step];
  if (!neighbour) return;
  emit("version", { from: message.id, to: neighbour, control });
  attempt((id) => api.showMessage(id, neighbour));
}

/** With everything below it, and a way back. @param {Message} message */
export const remove = (message) =>
  attempt(async (id) => {
    const { deleted } = await api.deleteMessage(id, message.id);
    const undo = () => attempt(() => api.restoreMessage(id, message.id));
    toast({ text: words.deleted(deleted - 1), action: { label: words.undo, run: undo } });
  });

/** A new chat with the path up to this message. @param {Message} message */
export const branch = (message) =>
  attempt(async (id) => {
    const copy = await api.forkConversation(id, message.id);
    if (copy.temporary) markTemporary(copy.id);
    open(copy.id);
    toast({ text: words.branched });
  });

/** A new chat that begins with a summary of this one. */
export const summarize = () =>
  attempt(async (id) => {
    await settings.flush();
    const fresh = await api.summarizeConversation(id);
    if (fresh.temporary) markTemporary(fresh.id);
    emit("summarized", { from: id, to: fresh.id });
    open(fresh.id);
  });
