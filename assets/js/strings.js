/** Every word the page's JavaScript shows, in one place. */

const count = new Intl.NumberFormat("en");

/** @param {number} value */
export const number = (value) => count.format(value);

/** @param {number} value  One decimal below ten, none above, as speeds are read. */
export const decimal = (value) => (value < 10 ? value.toFixed(1) : Math.round(value).toString());

/** @param {number} seconds */
export function duration(seconds) {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = Math.round(seconds % 60);
  return rest ? `${minutes} min ${rest} s` : `${minutes} min`;
}

const percent = (/** @type {number} */ share) => `${Math.floor(100 * share)} %`;

export const strings = {
  app: "QwenChat",
  privacy: "Runs on this machine. Nothing is sent anywhere.",
  titled: (/** @type {string} */ title) => `${title} · QwenChat`,

  sidebar: {
    label: "Conversations",
    open: "Show conversations",
    close: "Hide conversations",
    newChat: "New chat",
    search: "Search",
    searchLabel: "Search conversations",
    empty: "Conversations appear here.",
    nothingFound: "Nothing found.",
    running: "answering",
    untitled: "New chat",
    today: "Today",
    yesterday: "Yesterday",
    week: "Last 7 days",
    earlier: "Earlier",
  },

  theme: { label: "Theme", light: "Light", dark: "Dark", system: "Same as system" },

  model: {
    unknown: "Model",
    label: (/** @type {string} */ name) => `Model: ${name}`,
    context: (/** @type {number} */ tokens) => `Context of ${number(tokens)} tokens`,
  },

  status: {
    connecting: "Connecting…",
    lost: "Connection lost. Reconnecting…",
    starting: "Starting",
    loading: "Loading",
    ready: "Ready",
    waiting: "Waiting for the model",
    queued: "Queued",
    ahead: (/** @type {number} */ position) =>
      position > 1 ? `${number(position - 1)} ahead of you` : "you are next",
    reading: "Reading the prompt",
    generating: "Generating",
    rate: (/** @type {number} */ rate) => `${decimal(rate)} tok/s`,
    restarting: "Restarting",
    restartingIn: (/** @type {number} */ seconds) => `in ${duration(seconds)}`,
    failed: "Failed",
    restart: "Restart",
    percent,
  },

  loading: {
    title: (/** @type {string} */ model) => `Loading ${model}`,
    startingTitle: (/** @type {string} */ model) => `Starting ${model}`,
    hint: "You can write already. The answer comes when the model is ready.",
  },

  failed: {
    title: "The model is not running",
    restarting: "The model stopped and is started again",
    details: "Details",
    code: (/** @type {string} */ code) => `Code: ${code}`,
  },

  empty: {
    cardsLabel: "Things to try",
    cards: [
      { title: "Explain something", text: "Explain in simple words why the sky is blue." },
      { title: "Ask for a fact", text: "What is the capital of France?" },
      { title: "Get ideas", text: "Suggest three things to do on a rainy Sunday." },
      { title: "Write a text", text: "Write a short thank-you note to a friend who helped me move." },
    ],
  },

  missing: {
    title: "This conversation does not exist",
    why: "It may have been deleted, or the app was started again.",
    action: "New chat",
  },

  chat: {
    label: "Conversation",
    user: "You said",
    assistant: "Answer",
    earlier: (/** @type {number} */ hidden) => `Show earlier messages (${number(hidden)})`,
    latest: "Jump to latest",
    copy: "Copy",
    copied: "Copied",
    regenerate: "Regenerate",
    tryAgain: "Try again",
    showAll: "Show all",
    showLess: "Show less",
    stopped: "Stopped",
    lengthReached: "The answer reached Max tokens and ends here. Raise it in Settings for longer ones.",
    nothing: "The model gave an empty answer.",
    interruptedTitle: "The answer was interrupted",
    interruptedWhy: "The app or the model ended before it was complete. The text so far is kept.",
    failedTitle: "No answer this time",
    brokenOffTitle: "The answer broke off",
    failedWhy: "Something went wrong while the answer was made.",
  },

  waiting: {
    start: "Starting",
    model: (/** @type {string} */ stage) => `The model is loading: ${stage}`,
    modelPlain: "The model is loading",
    restarting: "The model stopped and is started again",
    failed: "The model is not running",
    queued: (/** @type {number} */ position) =>
      position > 1 ? `${number(position - 1)} ahead of you` : "You are next",
    readingShort: "Reading your message",
    reading: (/** @type {number} */ done, /** @type {number} */ total) =>
      `Reading ${number(done)} of ${number(total)} tokens`,
    reused: (/** @type {number} */ cached) => `${number(cached)} reused`,
    about: (/** @type {number} */ seconds) => `about ${duration(seconds)}`,
    elapsed: (/** @type {number} */ seconds) => duration(seconds),
    writing: "Writing",
  },

  details: {
    tokens: (/** @type {number} */ tokens) => `${number(tokens)} tok`,
    rate: (/** @type {number} */ rate) => `${decimal(rate)} tok/s`,
    first: (/** @type {number} */ seconds) =>
      `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s TTFT`,
    reused: (/** @type {number} */ cached, /** @type {number} */ prompt) =>
      `reused ${number(cached)} of ${number(prompt)} prompt tokens`,
    prompt: (/** @type {number} */ prompt) => `${number(prompt)} prompt tokens`,
  },

  composer: {
    label: "Message",
    placeholder: "Message…",
    send: "Send",
    stop: "Stop",
    running: "Wait for the answer or stop it; your text stays here.",
    dismiss: "Dismiss",
  },

  settings: {
    label: "Settings",
    open: "Show settings",
    close: "Hide settings",
    reset: "Reset to model defaults",
    resetHint: "Keeps the system prompt.",
    notSaved: "Not saved yet: the server was not reached. It is tried again by itself.",
  },

  errors: {
    network: "The server was not reached. Your text is kept; send it again when it is back.",
    unexpected: (/** @type {number} */ status) =>
      `The server answered in an unexpected way (${status}). Try again.`,
  },
};
