/**
 * The address bar names the open conversation and, where one was asked for, a message in it:
 * `#/c/<id>?m=<message>`; nothing is a new chat. Or it names what lies over the conversation
 * (`#/models`, `#/models/get`, `#/doctor`), which is then remembered in the history's entry.
 */

import { follow } from "./live.js";
import { emit, on, setOpen, state } from "./store.js";

/** @typedef {"here"|"get"|"doctor"} Panel */

/** @type {Record<Panel, string>} */
const PANELS = { here: "#/models", get: "#/models/get", doctor: "#/doctor" };

/** @returns {Panel | null} */
function panelOfAddress() {
  const names = /** @type {Panel[]} */ (Object.keys(PANELS));
  return names.find((name) => PANELS[name] === location.hash) ?? null;
}

/** @returns {{id: string | null, messageId: string | null}} */
function address() {
  if (panelOfAddress()) return { id: history.state?.behind ?? state.openId, messageId: null };
  const match = /^#\/c\/([^/?#]+)(?:\?m=([^&#]+))?$/.exec(location.hash);
  try {
    const [id, messageId] = [match?.[1], match?.[2]].map((part) => part && decodeURIComponent(part));
    return { id: id || null, messageId: messageId || null };
  } catch {
    return { id: null, messageId: null }; // not an address of ours
  }
}

/** Follow the address bar from now on. */
export function startRouter() {
  addEventListener("popstate", () => arrive());
  addEventListener("hashchange", () => arrive());
  const { id, messageId } = address();
  state.openId = id;
  state.panel = panelOfAddress();
  state.shown.from = state.reveal = messageId;
  seen = location.href;
  on("pending", () => state.pending && forgetMessage());
}

/** The address that was last gone to: browsers tell of one change twice. */
let seen = "";

function arrive(again = false) {
  if (location.href === seen && !again) return;
  seen = location.href;
  const panel = panelOfAddress();
  if (panel !== state.panel) {
    state.panel = panel;
    emit("panel");
  }
  const { id, messageId } = address();
  const isNew = id !== state.openId;
  if (isNew) setOpen(id);
  state.reveal = messageId;
  const there = state.conversation?.messages ?? [];
  const isMissing = messageId !== null && !there.some((message) => message.id === messageId);
  // What is shown already stays shown, or the reader would be moved by what comes back.
  const limit = Math.max(state.shown.limit, there.length);
  if (isMissing) state.shown = { limit, from: messageId };
  if (isNew || isMissing) follow();
  if (messageId) emit("reveal");
}

/** What is said next is at the end: a reload must show that. */
function forgetMessage() {
  const { id, messageId } = address();
  if (!messageId || id === null) return;
  history.replaceState(null, "", hashOf(id));
  seen = location.href;
}

/** @param {string} id @param {string | null} messageId */
export const hashOf = (id, messageId = null) =>
  `#/c/${encodeURIComponent(id)}${messageId ? `?m=${encodeURIComponent(messageId)}` : ""}`;

/**
 * Show this conversation; null starts a new chat.
 *
 * @param {string | null} id
 * @param {string | null} messageId  Scroll to this message, on whichever branch it is.
 */
export function open(id, messageId = null) {
  const target = id === null ? location.pathname + location.search : hashOf(id, messageId);
  const now = address();
  if (state.panel || id !== now.id || messageId !== now.messageId) history.pushState(null, "", target);
  arrive(messageId !== null);
}

/** Lay a panel over the conversation; from one to the other is no step of the history. */
export function openPanel(/** @type {Panel} */ panel) {
  const entry = { behind: state.openId, pushed: state.panel ? history.state?.pushed : true };
  if (state.panel) history.replaceState(entry, "", PANELS[panel]);
  else history.pushState(entry, "", PANELS[panel]);
  arrive();
}

/** Take it away: a step back where opening it was one, so that Back leads on from there. */
export function closePanel() {
  if (!state.panel) return;
  if (history.state?.pushed) return history.back();
  const behind = state.openId === null ? location.pathname + location.search : hashOf(state.openId);
  history.replaceState(null, "", behind);
  arrive();
}
