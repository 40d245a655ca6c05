/** What the browser remembers. A browser that refuses storage only forgets more. */

import { isTemporary } from "./store.js";

const PREFIX = "qwenchat.";
/** @type {Map<string, string>} */
const inMemory = new Map();

/** Keeps what must not be written, for as long as the page is there. */
export const memory = /** @type {Storage} */ (
  /** @type {unknown} */ ({
    getItem: (/** @type {string} */ key) => inMemory.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => inMemory.set(key, value),
    removeItem: (/** @type {string} */ key) => inMemory.delete(key),
  })
);

/**
 * Where drafts are kept: `usual`, but for a temporary chat only in memory.
 *
 * @param {string | null} owner  As `draftOwner` of store.js names it.
 * @param {Storage} [usual]
 */
export const shelfOf = (owner, usual = localStorage) => (isTemporary(owner) ? memory : usual);

/** @param {string} key @param {Storage} [storage] @returns {string | null} */
export function recall(key, storage = localStorage) {
  try {
    return storage.getItem(PREFIX + key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string | null} value @param {Storage} [storage] */
export function remember(key, value, storage = localStorage) {
  try {
    if (value === null || value === "") storage.removeItem(PREFIX + key);
    else storage.setItem(PREFIX + key, value);
  } catch {
    // Full or forbidden: nothing that matters is only here.
  }
}
