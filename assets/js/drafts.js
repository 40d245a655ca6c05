/** Texts begun in the message box, one for each conversation. Those of temporary chats are not written. */

import { recall, remember, shelfOf } from "./storage.js";

/** As `draftOwner` of store.js names whose it is. @typedef {string | null} Owner */

const key = (/** @type {Owner} */ owner) => `draft.${owner ?? "new"}`;

/** @param {Owner} owner */
export const recallDraft = (owner) => recall(key(owner), shelfOf(owner)) ?? "";

/** @param {Owner} owner @param {string} text */
export const rememberDraft = (owner, text) => remember(key(owner), text, shelfOf(owner));

/**
 * Run something when another tab changes the draft of `owner()`.
 *
 * @param {() => Owner} owner @param {() => void} run
 */
export const onDraftElsewhere = (owner, run) =>
  addEventListener("storage", (event) => {
    if (event.key?.endsWith(`.${key(owner())}`)) run();
  });
