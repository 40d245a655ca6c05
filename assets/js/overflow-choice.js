/** What is done when a turn does not fit, remembered for each conversation in this tab. */

import { recall, remember, shelfOf } from "./storage.js";

/** @typedef {import("./types.js").Overflow} Overflow */

const key = (/** @type {string | null} */ id) => `overflow.${id ?? "new"}`;

/** @param {string | null} id  null is the new chat. @returns {Overflow | undefined} */
export function choiceFor(id) {
  const stored = recall(key(id), shelfOf(id, sessionStorage));
  return stored === "leave_out" || stored === "shorten" ? stored : undefined;
}

/** @param {string | null} id @param {Overflow | null} choice */
export const choose = (id, choice) => remember(key(id), choice, shelfOf(id, sessionStorage));
