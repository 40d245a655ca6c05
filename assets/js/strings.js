/**
 * Every word the page's JavaScript shows, in the chosen language. A language is chosen before
 * anything is drawn; another one is another visit to the page (``language.js``).
 */

import { language } from "./language.js";
import { strings as english } from "./strings/en/index.js";

/** @typedef {typeof english} Strings */

/**
 * What is not translated stays English.
 *
 * @param {any} base @param {any} over
 * @returns {any}
 */
function merged(base, over) {
  if (over === undefined) return base;
  if (Array.isArray(base) || typeof base !== "object" || typeof over !== "object") return over;
  return Object.fromEntries(Object.entries(base).map(([key, value]) => [key, merged(value, over[key])]));
}

/** @type {Strings} */
export const strings =
  language === "en" ? english : merged(english, (await import(`./strings/${language}/index.js`)).strings);
