/** What the browser remembers. A browser that refuses storage only forgets more. */

const PREFIX = "qwenchat.";

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
