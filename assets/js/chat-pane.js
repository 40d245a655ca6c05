/** The chat: messages in order, or what stands there while there are none. */

import * as actions from "./actions.js";
import { el } from "./dom.js";
import { createEmptyState, createEngineCard, createMissing } from "./empty-state.js";
import { createMessageView } from "./message-view.js";
import { createFollower } from "./scroll.js";
import { on, runningMessage, state } from "./store.js";
import { strings } from "./strings.js";

/** Messages shown at once; older ones on request, in steps of the same size. */
const PAGE = 40;

/** @typedef {import("./types.js").Message} Message */
/** @typedef {import("./message-view.js").MessageView} MessageView */

/** @type {Map<string, MessageView>} */
const views = new Map();
let limit = PAGE;
/** The person's message that is still on its way. @type {MessageView | null} */
let pendingView = null;
let pendingText = "";

const list = el("div", { class: "qc-messages" });
const earlier = el("button", { type: "button", class: "qc-button qc-earlier", onClick: showEarlier });
const empty = createEmptyState();
const missing = createMissing();
const engineCard = createEngineCard();
const content = el("div", { class: "qc-column" }, missing, empty.root, earlier, list, engineCard.root);
const scroller = el(
  "div",
  { id: "chat", role: "log", "aria-live": "off", "aria-label": strings.chat.label, tabindex: "0" },
  content,
);
const follower = createFollower(scroller, content);

export const chatPane = el("div", { class: "qc-pane" }, scroller, follower.chip);

const toPerson = { regenerate: () => void actions.regenerate().then(() => follower.toEnd()) };

export function startChatPane() {
  on("open", () => {
    limit = PAGE;
    for (const view of views.values()) view.end();
    views.clear();
    list.replaceChildren();
    pendingView = null;
    render();
    follower.toEnd();
  });
  on("conversation", () => {
    const first = views.size === 0;
    render();
    if (first) follower.toEnd();
  });
  on("pending", () => {
    render();
    if (state.pending) follower.toEnd();
  });
  on("engine", () => {
    frame();
    const running = runningMessage();
    if (running?.progress?.phase === "waiting") views.get(running.id)?.progress(running);
  });
  on("delta", ({ message, text }) => views.get(message.id)?.append(message, text));
  on("progress", ({ message }) => views.get(message.id)?.progress(message));
  on("message", ({ message }) => {
    const last = state.conversation?.messages.at(-1)?.id === message.id;
    views.get(message.id)?.update(message, last);
    frame();
  });
  render();
}

/** Bring the page in line with the store; a message that is the same keeps its nodes. */
function render() {
  const messages = state.conversation?.messages ?? [];
  const shown = messages.slice(-limit);
  const wanted = new Set(shown.map((message) => message.id));
  for (const [id, view] of views) {
    if (wanted.has(id)) continue;
    view.end();
    view.root.remove();
    views.delete(id);
  }
  shown.forEach((message, index) => {
    const view = views.get(message.id) ?? viewFor(message);
    view.update(message, index === shown.length - 1);
    const there = list.children[index];
    if (there !== view.root) list.insertBefore(view.root, there ?? null);
  });
  showPending();
  const hidden = messages.length - shown.length;
  earlier.hidden = hidden === 0;
  earlier.textContent = strings.chat.earlier(hidden);
  frame();
}

/** @param {Message} message */
function viewFor(message) {
  const arrived = pendingView && message.role === "user" && message.content === pendingText;
  const view = (arrived && pendingView) || createMessageView(message, toPerson);
  if (arrived) {
    pendingView = null;
    pendingText = "";
    state.pending = null;
  }
  views.set(message.id, view);
  return view;
}

function showPending() {
  const pending = state.pending?.id === state.openId ? state.pending : null;
  if (!pending) {
    pendingView?.root.remove();
    pendingView = null;
    return;
  }
  if (!pendingView) {
    const message = /** @type {Message} */ ({
      id: "pending",
      role: "user",
      content: pending.content,
      state: "done",
    });
    pendingView = createMessageView(message, toPerson);
    pendingView.update(message);
    pendingText = pending.content;
  }
  list.append(pendingView.root);
}

/** What surrounds the messages: the empty state, and the card of a model that is not there. */
function frame() {
  const bare = list.childElementCount === 0;
  const known = state.openId === null || state.conversation !== null;
  missing.hidden = !state.missing;
  empty.show(bare && known && !state.missing);
  engineCard.show(!bare);
  scroller.classList.toggle("qc-bare", bare);
}

function showEarlier() {
  follower.keepPlace(() => {
    limit += PAGE;
    render();
  });
}
