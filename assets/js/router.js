/** The address bar names the open conversation: `#/c/<id>`; nothing is a new chat. */

import { follow } from "./live.js";
import { setOpen, state } from "./store.js";

/** @returns {string | null} */
function idInAddress() {
  const match = /^#\/c\/([^/?#]+)$/.exec(location.hash);
  try {
    return match ? decodeURIComponent(match[1]) : null;
  } catch {
    return null; // not an address of ours
  }
}

/** Follow the address bar from now on. */
export function startRouter() {
  addEventListener("popstate", arrive);
  addEventListener("hashchange", arrive);
  state.openId = idInAddress();
}

function arrive() {
  const id = idInAddress();
  if (id === state.openId) return;
  setOpen(id);
  follow();
}

/** @param {string} id */
export const hashOf = (id) => `#/c/${encodeURIComponent(id)}`;

/** @param {string | null} id  Show this conversation; null starts a new chat. */
export function open(id) {
  const target = id === null ? location.pathname + location.search : hashOf(id);
  if (id !== idInAddress()) history.pushState(null, "", target);
  arrive();
}
