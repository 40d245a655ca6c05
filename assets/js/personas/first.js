/** What a new chat begins with: the persona and the reply language chosen last, in this browser. */

import { isOneOf, personaOf, textOf } from "./known.js";
import { recall, remember } from "../storage.js";

/** The one of a browser that has chosen none, and of one whose choice was deleted. */
const FIRST = "assistant";
const PERSONA_KEY = "persona";
const LANGUAGE_KEY = "reply-language";

/** @typedef {import("../types.js").ReplyLanguage} ReplyLanguage */
/** @type {readonly ReplyLanguage[]} */
const LANGUAGES = ["auto", "zh", "en"];

/** @param {string} id */
export const rememberPersona = (id) => remember(PERSONA_KEY, id);

/** @param {string} language */
export const rememberReplyLanguage = (language) => remember(LANGUAGE_KEY, language);

/** @returns {Partial<import("../types.js").Settings>} what the server has told of as yet */
export function firstSettings() {
  const language = recall(LANGUAGE_KEY);
  const persona = personaOf(recall(PERSONA_KEY) ?? FIRST) ?? personaOf(FIRST);
  return {
    reply_language: isOneOf(LANGUAGES, language) ? language : "auto",
    ...(persona && settingsOf(persona)),
  };
}

/** What choosing a persona sets. @param {import("../types.js").Persona} persona */
export const settingsOf = (persona) => ({
  persona: persona.id,
  system_prompt: textOf(persona.system_prompt),
  sampling: { ...persona.sampling },
});
