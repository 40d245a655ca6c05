/** The chat: messages in order, or what stands there while there are none. */

import { el } from "./dom.js";
import { createEmptyState, createEngineCard, createMissing } from "./empty-state.js";
import { createLeftOut } from "./left-out.js";
import { follow } from "./live.js";
import { createGroups } from "./message-groups.js";
import { createMessageView } from "./message-view.js";
import { createOpening } from "./opening.js";
import { createReveal } from "./reveal.js";
import { isRunning } from "./running.js";
import { createFollower } from "./scroll.js";
import { PAGE, on, runningMessage, state } from "./store.js";
import { strings } from "./strings.js";

/** @typedef {import("./types.js").Message} Message */
/** @typedef {import("./message-view.js").MessageView} MessageView */

const FLASH_MS = 1800;

/** From the first shown to the last. @type {Map<string, MessageView>} */
let views = new Map();
/** The person's message that is still on its way. @type {MessageView | null} */
let pendingView = null;
let pendingText = "";
/** Which version is to take another's place. @type {{from: string, to: string, control: string | null} | null} */
let turning = null;

const list = el("div", { class: "qc-messages" });
const earlier = el("button", { type: "button", class: "qc-button qc-earlier", onClick: showEarlier });
const leftOut = createLeftOut();
const empty = createEmptyState();
const missing = createMissing();
const engineCard = createEngineCard();
const content = el("div", { class: "qc-column" }, missing, createOpening(), empty.root, earlier, list, engineCard.root);
const scroller = el(
  "div",
  { id: "chat", role: "log", "aria-live": "off", "aria-label": strings.chat.label, tabindex: "0" },
  content,
);
const follower = createFollower(scroller, content);
const reveal = createReveal(showMessage);
const arrange = createGroups(list);

export const chatPane = el("div", { class: "qc-pane" }, scroller, follower.chip);

export function startChatPane() {
  on("open", () => {
    for (const view of views.values()) view.end();
    views.clear();
    list.replaceChildren();
    pendingView = turning = null;
    render();
    follower.toEnd();
  });
  on("conversation", () => {
    const first = views.size === 0;
    if (turning && views.has(turning.from) && !views.has(turning.to)) turnOver(turning);
    else follower.keepPlace(roots(), render);
    if (first && !state.reveal) follower.toEnd();
    reveal();
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
  on("thoughts", ({ message }) => views.get(message.id)?.think(message));
  on("progress", ({ message }) => views.get(message.id)?.progress(message));
  on("message", ({ message }) => {
    const last = state.conversation?.messages.at(-1)?.id === message.id;
    views.get(message.id)?.update(message, last);
    frame();
  });
  on("conversations", () => list.classList.toggle("qc-busy", isRunning()));
  on("answering", () => follower.toEnd());
  on("version", (turn) => (turning = turn));
  on("edit", (id) => views.get(id)?.edit());
  render();
}

/** @returns {HTMLElement[]} */
const roots = () => [...views.values()].map((view) => view.root);

/** Bring the page in line with the store; a message that is the same keeps its nodes. */
function render() {
  const messages = state.conversation?.messages ?? [];
  /** @type {typeof views} */
  const shown = new Map();
  messages.forEach((message, index) => {
    const isRecent = index >= messages.length - 2;
    const view = views.get(message.id) ?? viewFor(message, isRecent);
    view.update(message, index === messages.length - 1);
    shown.set(message.id, view);
  });
  for (const [id, view] of views) if (!shown.has(id)) view.end();
  views = shown;
  place();
  const hidden = state.conversation?.earlier ?? 0;
  earlier.hidden = hidden === 0;
  earlier.textContent = strings.chat.earlier(hidden);
  frame();
}

/** The nodes of the list in their order. */
function place() {
  /** @type {Element[]} */
  const nodes = roots();
  const { left_out: count = 0, first_read_id: firstRead = null } = state.conversation ?? {};
  if (count) {
    leftOut.update(count);
    const at = firstRead ? [...views.keys()].indexOf(firstRead) : 0;
    nodes.splice(Math.max(0, at), 0, leftOut.root);
  }
  const pending = pendingRoot();
  if (pending) nodes.push(pending);
  arrange(nodes);
}

/** @param {Message} message @param {boolean} isRecent */
function viewFor(message, isRecent) {
  const arrived =
    isRecent && pendingView && message.role === "user" && message.content === pendingText;
  const view = (arrived && pendingView) || createMessageView(message);
  if (arrived) {
    pendingView = null;
    pendingText = "";
    state.pending = null;
  }
  return view;
}

function pendingRoot() {
  const pending = state.pending?.id === state.openId ? state.pending : null;
  if (!pending) {
    pendingView = null;
    return null;
  }
  if (!pendingView) {
    const message = /** @type {Message} */ ({
      id: "pending",
      role: "user",
      content: pending.content,
      attachments: pending.attachments,
      state: "done",
      versions: /** @type {string[]} */ ([]),
    });
    pendingView = createMessageView(message);
    pendingView.update(message, false);
    pendingText = pending.content;
  }
  return pendingView.root;
}

/** What surrounds the messages: the empty state, and the card of a model that is not there. */
function frame() {
  const bare = list.childElementCount === 0;
  const known = state.openId === null || state.conversation !== null;
  missing.hidden = !state.missing;
  empty.show(bare && known && !state.missing);
  engineCard.show(!bare);
  scroller.classList.toggle("qc-bare", bare);
  list.classList.toggle("qc-busy", isRunning());
}

/** The other version stands where the one before it stood, with the focus where it was. */
function turnOver(/** @type {NonNullable<typeof turning>} */ { from, to, control }) {
  const before = views.get(from)?.root;
  const top = before ? follower.topOf(before) : 0;
  const focused = before?.contains(document.activeElement);
  follower.release();
  render();
  const after = views.get(to)?.root;
  if (!after) return;
  turning = null;
  follower.moveBy(follower.topOf(after) - top);
  if (!focused) return;
  const buttons = /** @type {HTMLButtonElement[]} */ ([...after.querySelectorAll("[data-control]")]);
  const same = control && buttons.find((one) => one.dataset.control === control);
  const other = control && buttons.find((one) => !one.disabled);
  const target = same && !same.disabled ? same : other || after;
  target.focus({ preventScroll: true });
}

function showEarlier() {
  follower.release();
  state.shown = { limit: (state.conversation?.messages.length ?? 0) + PAGE, from: null };
  follow();
}

/** Scroll to a message and let it light up once. @param {string} id */
function showMessage(id) {
  const view = views.get(id);
  if (!view) return;
  follower.release();
  view.unfold();
  view.root.scrollIntoView({ block: view.root.offsetHeight > scroller.clientHeight / 2 ? "start" : "center" });
  follower.release();
  view.root.focus({ preventScroll: true });
  view.root.classList.add("qc-flash");
  setTimeout(() => view.root.classList.remove("qc-flash"), FLASH_MS);
}
