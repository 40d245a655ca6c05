/** What the page knows, and who wants to hear when it changes. */

/**
 * @typedef {"connection"|"engine"|"conversations"|"open"|"conversation"|"message"|"delta"|"thoughts"
 *   |"progress"|"pending"|"problem"|"panels"|"notices"|"import"|"reveal"|"answering"|"version"
 *   |"edit"|"restarted"|"settings"|"measured"|"summarized"|"panel"|"library"
 *   |"choice"|"downloads"|"verification"|"personas"|"presets"|"files"|"file-news"} Topic
 */

/** Messages shown at first; earlier ones on request, in steps of the same size. */
export const PAGE = 40;

export const state = {
  /** @type {"connecting"|"open"|"lost"} */
  connection: "connecting",
  /** @type {import("./types.js").Engine | null} */
  engine: null,
  /** Stages of loading seen so far, in order. @type {string[]} */
  stages: [],
  /** Built-in ones first. @type {import("./types.js").Persona[]} */
  personas: [],
  /** Likewise. @type {import("./types.js").Preset[]} */
  presets: [],
  /** @type {import("./types.js").Notice[]} */
  notices: [],
  /** The import that runs or ran last. @type {import("./types.js").Import | null} */
  import: null,
  /** What is loaded or loading. @type {import("./types.js").Choice | null} */
  choice: null,
  /** All models, once the server has told of them. @type {import("./types.js").Library | null} */
  library: null,
  /** Why it has not. */
  libraryProblem: "",
  /** @type {import("./types.js").Download[]} */
  downloads: [],
  /** The check of files that runs or ran last. @type {import("./types.js").Verification | null} */
  verification: null,
  /** What lies over the chat. @type {import("./router.js").Panel | null} */
  panel: null,
  /** The conversation the page shows; null is a new chat. @type {string | null} */
  openId: null,
  /** The new chat will be a temporary one. */
  temporaryDraft: false,
  /** Its content, once the server sent it. @type {import("./types.js").Conversation | null} */
  conversation: null,
  /** How much of it the page asks for: the last `limit`, or from a message on. */
  shown: { limit: PAGE, from: /** @type {string | null} */ (null) },
  /** The message to scroll to as soon as it is there. @type {string | null} */
  reveal: null,
  /** Set when the server says it does not exist. */
  missing: false,
  /**
   * Text on its way to a conversation.
   *
   * @type {{content: string, attachments: import("./types.js").Attachment[], id: string | null} | null}
   */
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

/** Stands for the temporary chat not yet begun, where an id names a conversation. */
export const TEMPORARY = "temporary";

/** Temporary conversations this page has met. @type {Set<string>} */
const temporaryIds = new Set([TEMPORARY]);

/** Whose text is in the message box; null is the new chat. */
export const draftOwner = () => state.openId ?? (state.temporaryDraft ? TEMPORARY : null);

/** @param {string | null} owner  As `draftOwner` names it. */
export const isTemporary = (owner) => owner !== null && temporaryIds.has(owner);

/** @param {string} id */
export const markTemporary = (id) => void temporaryIds.add(id);

/** Begin a new chat that is temporary, or one that is not. @param {boolean} temporary */
export function setTemporaryDraft(temporary) {
  if (state.temporaryDraft === temporary) return;
  state.temporaryDraft = temporary;
  if (state.openId === null) emit("open");
}

/** @param {string | null} id */
export function setOpen(id) {
  state.openId = id;
  if (id !== null) state.temporaryDraft = false;
  state.conversation = null;
  state.shown = { limit: PAGE, from: null };
  state.missing = false;
  emit("open");
}

/** @param {import("./types.js").Conversation} conversation */
export function setConversation(conversation) {
  if (conversation.id !== state.openId) return;
  if (conversation.temporary) markTemporary(conversation.id);
  state.conversation = conversation;
  state.missing = false;
  emit("conversation");
}

/** @param {typeof state.pending} pending */
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
  if (messages[0].parent_id !== (conversation.messages.at(-1)?.id ?? null)) return;
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
  // From the end: it is nearly always the last, and there may be hundreds.
  const index = conversation.messages.findLastIndex((message) => message.id === id);
  if (index < 0) return false;
  const message = conversation.messages[index];
  if (frame.type === "delta") {
    const inThoughts = frame.part === "thoughts";
    message[inThoughts ? "thoughts" : "content"] += frame.text;
    emit(inThoughts ? "thoughts" : "delta", { message, text: frame.text });
  } else if (frame.type === "progress") {
    message.progress = frame.progress;
    emit("progress", { message });
  } else {
    conversation.messages[index] = frame.message;
    if (message.state === "streaming" && frame.message.state !== "streaming") {
      conversation.running = false;
    }
    emit("message", { message: frame.message });
  }
  return true;
}
