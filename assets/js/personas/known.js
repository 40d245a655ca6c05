/** The personas and presets that the server has told of, in the page's language. */

import { language } from "../language.js";
import { state } from "../store.js";

/** @param {string} id @returns {import("../types.js").Persona | undefined} */
export const personaOf = (id) => state.personas.find((one) => one.id === id);

/** @param {import("../types.js").Words} words */
export const textOf = (words) => (typeof words === "string" ? words : words[language] ?? words.en);

/** @param {import("../types.js").Persona} persona @returns {string[]} */
export const questionsOf = ({ questions }) =>
  Array.isArray(questions) ? questions : questions[language] ?? questions.en;

/** In whatever language. @param {import("../types.js").Words} words @returns {string[]} */
export const allTexts = (words) => (typeof words === "string" ? [words] : Object.values(words));

/**
 * @template {string} T
 * @param {readonly T[]} values @param {string | null} value
 * @returns {value is T}
 */
export const isOneOf = (values, value) => values.some((one) => one === value);
