/** What the page knows, and who wants to hear when it changes. */

/**
 * @typedef {"connection"|"engine"|"conversations"|"open"|"conversation"|"message"|"delta"
 *   |"progress"|"pending"|"problem"|"panels"} Topic
 */

export const state = {
  /** @type {"connecting"|"open"|"lost"} */
  connection: "connecting",
  /** @type {import("./types.js").Engine | null} */
  engine: null,
  /** Stages of loading seen so far, in order. @type {string[]} */
  stages: [],
  /** @type {import("./types.js").Summary[]} */
  conversations: [],
  /** The conversation the page shows; null is a new chat. @type {string | null} */
  openId: null,
  /** Its content, once the server sent it. @type {import("./types.js").Conversation | null} */
  conversation: null,
  /** Set when the server says it does not exist. */
  missing: false,
  /** Text on its way to a conversation. @type {{content: string, id: string | null} | null} */
  pending: null,
};

/** @type {Map<Topic, Set<(detail?: any) => void>>} */
const listeners = new Map();

/** @param {Topic | Topic[]} topics @param {(detail?: any) => void} listener */
export function on(topics, listener) {
  for (const topic of [topics].flat()) {
    if (!listeners.has(topic)) listeners.set(topic, new Set());
    listeners.get(topic)?.add(listener);
  }
}

/** @param {Topic} topic @param {any} [detail] */
export function emit(topic, detail) {
  for (const listener of listeners.get(topic) ?? []) {
    try {
      listener(detail);
    } catch (error) {
      console.error(error); // one part of the page must not silence the others
    }
  }
}

/** The message being answered in the open conversation, if one is. */
export function runningMessage() {
  const last = state.conversation?.messages.at(-1);
  return last?.state === "streaming" ? last : null;
}

/** @param {"connecting"|"open"|"lost"} connection */
export function setConnection(connection) {
  if (state.connection === connection) return;
  state.connection = connection;
  emit("connection");
}

/** @param {import("./types.js").Engine} engine */
export function setEngine(engine) {
  if (engine.state === "starting" && state.engine?.state !== "starting") state.stages = [];
  if (engine.stage && !state.stages.includes(engine.stage)) state.stages.push(engine.stage);
  if (engine.state === "ready") state.stages = [];
  state.engine = engine;
  emit("engine");
}

/** @param {string | null} id */
export function setOpen(id) {
  state.openId = id;
  state.conversation = null;
  state.missing = false;
  emit("open");
}

/** @param {import("./types.js").Conversation} conversation */
export function setConversation(conversation) {
  if (conversation.id !== state.openId) return;
  state.conversation = conversation;
  state.missing = false;
  emit("conversation");
}

/** @param {{content: string, id: string | null} | null} pending */
export function setPending(pending) {
  state.pending = pending;
  emit("pending");
}

/**
 * Take in messages a request answered with, unless the socket was faster.
 *
 * @param {string} id
 * @param {import("./types.js").Message[]} messages
 */
export function addMessages(id, messages) {
  const conversation = state.conversation;
  if (conversation?.id !== id) return;
  const known = new Set(conversation.messages.map((message) => message.id));
  const added = messages.filter((message) => !known.has(message.id));
  if (!added.length) return;
  state.conversation = { ...conversation, messages: [...conversation.messages, ...added] };
  emit("conversation");
}

/**
 * Take in one frame about a single message of the open conversation.
 *
 * @param {any} frame
 * @returns {boolean} false when the message is not known, so the page is out of step
 */
export function applyToMessage(frame) {
  const conversation = state.conversation;
  if (frame.conversation_id !== state.openId || !conversation) return true;
  const id = frame.message_id ?? frame.message.id;
  const index = conversation.messages.findIndex((message) => message.id === id);
  if (index < 0) return false;
  const message = conversation.messages[index];
  if (frame.type === "delta") {
    message.content += frame.text;
    emit("delta", { message, text: frame.text });
  } else if (frame.type === "progress") {
    message.progress = frame.progress;
    emit("progress", { message });
  } else {
    conversation.messages[index] = frame.message;
    emit("message", { message: frame.message });
  }
  return true;
}
