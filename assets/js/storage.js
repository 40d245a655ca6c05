/** What the browser remembers. One that refuses to is remembered for, as long as the page is there. */

import { isDemo } from "./demo.js";
import { isTemporary } from "./store.js";

const PREFIX = "qwenchat.";
/** @type {Map<string, string>} */
const inMemory = new Map();

/** What the browser would not write, full or forbidden as it is. @type {Map<string, string | null>} */
const refused = new Map();

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

/** A demo neither finds nor leaves anything. @param {Storage} usual */
const placeOf = (usual) => (isDemo ? memory : usual);

/** @param {string} key @param {Storage} [storage] @returns {string | null} */
export function recall(key, storage = localStorage) {
  const unwritten = refused.get(PREFIX + key);
  if (unwritten !== undefined) return unwritten;
  try {
    return placeOf(storage).getItem(PREFIX + key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string | null} value @param {Storage} [storage] */
export function remember(key, value, storage = localStorage) {
  try {
    if (value === null || value === "") placeOf(storage).removeItem(PREFIX + key);
    else placeOf(storage).setItem(PREFIX + key, value);
    refused.delete(PREFIX + key);
  } catch {
    refused.set(PREFIX + key, value || null);
  }
}
