/** Having the engine load another model, after asking whoever an answer would be lost to. */

import { ApiError, api, reasonOf } from "../api.js";
import { ask, tell } from "../ask.js";
import * as conversations from "../conversations.js";
import { isRunning } from "../running.js";
import { strings } from "../strings.js";

const words = strings.switching;

/** Whether an answer is being written anywhere. */
const isAnswering = () =>
  isRunning() || conversations.inOrder().some((id) => conversations.get(id)?.running);

/**
 * Load a model; resolves with whether that has begun, and why not.
 *
 * @param {{id: string, name: string, context_length?: number, dtype?: import("../types.js").Dtype}} choice
 * @returns {Promise<{begun: boolean, problem: string}>}
 */
export async function switchTo({ id, name, ...options }) {
  const question = { title: words.title(name), text: words.running, yes: words.switch };
  if (isAnswering() && !(await ask(question))) return { begun: false, problem: "" };
  try {
    await api.switchModel({ model: id, ...options });
    return { begun: true, problem: "" };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { begun: false, problem: reasonOf(error) };
  }
}

/** The same, where there is no place of its own to say why not. @param {string} id @param {string} name */
export async function switchFromAnywhere(id, name) {
  const { problem } = await switchTo({ id, name });
  if (problem) void tell(words.refused(name), problem);
}
