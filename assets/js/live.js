/** The tab's one WebSocket: it keeps itself connected and feeds the store. */

import { loginHasEnded } from "./api.js";
import * as conversations from "./conversations.js";
import { heardOfModels, newConnection } from "./models/library.js";
import { fromServer } from "./server-words.js";
import { emit, applyToMessage, setConnection, setConversation, setEngine, state } from "./store.js";

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 5000;
const PROBE_MS = 3000;
const UNHEARD_MS = 1000;

/** @type {WebSocket | null} */
let socket = null;
let attempts = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let retryTimer;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let probeTimer;

/** Tell the server which conversation to send; again after every reconnect. */
export function follow() {
  if (socket?.readyState !== WebSocket.OPEN) return;
  const { limit, from } = state.shown;
  socket.send(JSON.stringify({ type: "open", conversation_id: state.openId, limit, from }));
}

/** Connect, and stay connected for as long as the page is there. */
export function start() {
  connect();
  addEventListener("online", retryNow);
  addEventListener("offline", probe);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") socket?.readyState === 1 ? probe() : retryNow();
  });
  addEventListener("pageshow", (event) => event.persisted && retryNow());
}

function connect() {
  clearTimeout(retryTimer);
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const mine = new WebSocket(`${scheme}://${location.host}/api/live`);
  socket = mine;
  mine.onopen = () => {
    attempts = 0;
    setConnection("open");
    follow();
  };
  mine.onmessage = (event) => {
    clearTimeout(probeTimer);
    if (socket === mine) take(fromServer(JSON.parse(event.data)));
  };
  mine.onclose = () => socket === mine && lost();
}

function lost() {
  socket = null;
  clearTimeout(probeTimer);
  setConnection("lost");
  const delay = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempts);
  attempts += 1;
  if (attempts === 2) loginHasEnded().then((ended) => ended && location.reload());
  retryTimer = setTimeout(connect, delay * (0.9 + 0.2 * Math.random()));
}

/** Do not wait for the next try. */
export function retryNow() {
  if (socket && socket.readyState <= WebSocket.OPEN) return;
  attempts = 0;
  connect();
}

/** After sleep a socket can look open and be dead: ask for something and expect an answer. */
function probe() {
  if (socket?.readyState !== WebSocket.OPEN || state.openId === null) return;
  follow();
  clearTimeout(probeTimer);
  probeTimer = setTimeout(() => {
    const dead = socket;
    if (dead) dead.onclose = null;
    dead?.close();
    lost();
  }, PROBE_MS);
}

/** Sent on connect only where there are any; what the page has where there are none. */
const NOTHING = { notices: [], import: null, downloads: [], verification: null };

/** Of those, not heard of yet in this connection. @type {Set<keyof typeof NOTHING>} */
const unheard = new Set();

/** What the last connection told of these is over unless this one tells the same. */
function expectAgain() {
  const topics = /** @type {(keyof typeof NOTHING)[]} */ (Object.keys(NOTHING));
  for (const topic of topics) unheard.add(topic);
  setTimeout(() => {
    for (const topic of topics) {
      const known = state[topic];
      const there = Array.isArray(known) ? known.length > 0 : known !== null;
      if (unheard.delete(topic) && there) tell(topic, NOTHING[topic]);
    }
  }, UNHEARD_MS);
}

/** @param {keyof typeof NOTHING} topic @param {any} value */
function tell(topic, value) {
  unheard.delete(topic);
  Object.assign(state, { [topic]: value });
  emit(topic);
}

/** Which run of the app this page heard of last. */
let run = "";

/** @param {string} now */
function heardOfRun(now) {
  const before = run;
  run = now;
  if (before && before !== now) emit("restarted");
}

/** @param {any} frame */
function take(frame) {
  switch (frame.type) {
    case "run":
      return heardOfRun(frame.id);
    case "engine":
      return setEngine(frame.engine);
    case "conversations":
      expectAgain();
      newConnection();
      return conversations.replace(frame.conversations, frame.total);
    case "summaries":
      return conversations.change(frame.changed, frame.removed);
    case "notices":
    case "import":
    case "downloads":
    case "verification":
      return tell(frame.type, frame[frame.type]);
    case "personas":
    case "presets":
      Object.assign(state, { [frame.type]: frame[frame.type] });
      return emit(frame.type);
    case "models":
      return heardOfModels(frame.revision, frame.choice);
    case "conversation":
      return setConversation(frame.conversation);
    case "missing":
      if (frame.conversation_id !== state.openId) return;
      state.missing = true;
      state.conversation = null;
      return emit("conversation");
    case "delta":
    case "progress":
    case "message":
      if (!applyToMessage(frame)) follow();
  }
}
