/**
 * What the server says in English, in the page's language: its answers and frames pass through
 * here as they come in. Only fields that hold the app's own words are touched, never what a
 * person or a model wrote, nor names and ids.
 */

import { language } from "./language.js";
import { createTranslator } from "./sentences.js";

/** Fields whose text is a sentence of ours, wherever they are. */
const WORDS = new Set([
  "message", "reason", "note", "stage", "model_note", "problem", "disk_problem", "where",
  "summary", "detail", "fix", "verified_how", "licence", "refusal", "weights",
]);
/** Fields that are lists of such. */
const LISTS = new Set(["languages"]);
/** Fields whose content belongs to people and models; nothing in it is touched. */
const CONTENT = new Set([
  "content", "title", "snippet", "system_prompt", "sampling", "thoughts", "personas", "presets",
]);

const translator =
  language === "en" ? null : createTranslator((await import(`./strings/${language}/server.js`)).server);

/** @param {string} text  A sentence or several, made by the server. */
export const inOurWords = (text) => translator?.translate(text) ?? text;

/**
 * A value of the protocol with its words in the page's language; changed in place.
 *
 * @template T
 * @param {T} value
 * @returns {T}
 */
export function fromServer(value) {
  if (translator) walk(value);
  return value;
}

/** @param {any} value */
function walk(value) {
  if (Array.isArray(value)) return value.forEach(walk);
  if (value === null || typeof value !== "object") return;
  for (const [key, inner] of Object.entries(value)) {
    if (CONTENT.has(key)) continue;
    if (typeof inner === "string") {
      if (WORDS.has(key)) value[key] = inOurWords(inner);
    } else if (LISTS.has(key) && Array.isArray(inner)) {
      value[key] = inner.map((one) => (typeof one === "string" ? inOurWords(one) : one));
    } else walk(inner);
  }
}
