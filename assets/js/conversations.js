/** The conversations of the list, as the server tells of them, in their order. */

import { emit } from "./store.js";

/** After a lost connection the old list stays until the new one is here, or for so long. */
const STALE_MS = 10_000;

/** @typedef {import("./types.js").Summary} Summary */

/** @type {Map<string, Summary>} */
const byId = new Map();
/** Deleted here: gone at once, whatever the server still says. @type {Set<string>} */
const hidden = new Set();
/** Of the connection before this one, and not yet heard of in this one. @type {Set<string>} */
const stale = new Set();
/** Heard of in this connection, while `stale` is not empty. @type {Set<string>} */
const fresh = new Set();
let expected = 0;
/** @type {string[] | null} */
let order = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let staleTimer;

/** Whether the server has sent the list at all. */
export let known = false;

/** @param {string} id @returns {Summary | undefined} */
export const get = (id) => (hidden.has(id) ? undefined : byId.get(id));

/** @param {string} id */
export const isHidden = (id) => hidden.has(id);

/**
 * Ids in the order of the list: the same array for as long as that stays the same.
 *
 * @returns {readonly string[]}
 */
export function inOrder() {
  order ??= [...byId.values()]
    .filter((one) => !hidden.has(one.id))
    .sort(compare)
    .map((one) => one.id);
  return order;
}

/** @param {Summary} one @param {Summary} other */
function compare(one, other) {
  if (one.pinned !== other.pinned) return one.pinned ? -1 : 1;
  if (one.updated_at !== other.updated_at) return other.updated_at - one.updated_at;
  return one.id < other.id ? 1 : -1;
}

/** The top of the list, after connecting. @param {Summary[]} top @param {number} total */
export function replace(top, total) {
  known = true;
  order = null;
  expected = total;
  for (const id of byId.keys()) stale.add(id);
  fresh.clear();
  clearTimeout(staleTimer);
  staleTimer = setTimeout(dropStale, STALE_MS);
  change(top, []);
}

/** @param {Summary[]} changed @param {string[]} removed */
export function change(changed, removed) {
  for (const summary of changed) set(summary);
  for (const id of removed) {
    hidden.delete(id);
    unset(id);
  }
  if (stale.size) {
    for (const { id } of changed) {
      stale.delete(id);
      fresh.add(id);
    }
    if (fresh.size >= expected) dropStale();
  }
  emit("conversations");
}

/** Change what is known of one before the server confirms it. @param {string} id @param {Partial<Summary>} changes */
export function patch(id, changes) {
  const old = byId.get(id);
  if (!old) return;
  set({ ...old, ...changes });
  emit("conversations");
}

/** Take one out of the list at once. @param {string} id */
export function hide(id) {
  hidden.add(id);
  order = null;
  emit("conversations");
}

/** Put one back that was hidden. @param {Summary} summary */
export function unhide(summary) {
  hidden.delete(summary.id);
  order = null;
  if (!byId.has(summary.id)) set(summary);
  emit("conversations");
}

/** @param {Summary} summary */
function set(summary) {
  const old = byId.get(summary.id);
  byId.set(summary.id, summary);
  if (!old || old.pinned !== summary.pinned || old.updated_at !== summary.updated_at) order = null;
}

/** @param {string} id */
function unset(id) {
  stale.delete(id);
  if (byId.delete(id)) order = null;
}

function dropStale() {
  clearTimeout(staleTimer);
  if (!stale.size) return;
  for (const id of stale) unset(id);
  emit("conversations");
}
