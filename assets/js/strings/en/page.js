/** The words of the page itself: list, chat, composer, settings. In English. */

import { counted, decimal, duration, number, percent, spent } from "../../numbers.js";

/** @param {string} text  As much of it as fits a sentence. */
const short = (text) => (text.length > 60 ? `${[...text].slice(0, 59).join("")}…` : text);

export const page = {
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
    pinned: "Pinned",
    today: "Today",
    yesterday: "Yesterday",
    week: "Last 7 days",
    found: (/** @type {number} */ count) => (count === 1 ? "1 found" : `${number(count)} found`),
    moreFound: "There is more. Another word narrows it.",
    searchFailed: (/** @type {string} */ why) => `The search did not work. ${why}`,
    options: (/** @type {string} */ title) => `Options for “${title}”`,
    rename: "Rename",
    renameLabel: "New title",
    pin: "Pin",
    unpin: "Unpin",
    exportMarkdown: "Export as Markdown",
    exportJson: "Export as JSON",
    delete: "Delete",
    undo: "Undo",
    deleted: (/** @type {string} */ title) => `Deleted “${short(title)}”.`,
    notDeleted: (/** @type {string} */ title, /** @type {string} */ why) =>
      `“${short(title)}” was not deleted. ${why}`,
    notRestored: (/** @type {string} */ title, /** @type {string} */ why) =>
      `“${short(title)}” did not come back. ${why}`,
    notRenamed: (/** @type {string} */ title, /** @type {string} */ why) =>
      `“${short(title)}” was not renamed. ${why}`,
    notPinned: (/** @type {string} */ title, /** @type {string} */ why) =>
      `“${short(title)}” was not pinned. ${why}`,
    notUnpinned: (/** @type {string} */ title, /** @type {string} */ why) =>
      `“${short(title)}” was not unpinned. ${why}`,
  },

  temporary: {
    start: "Temporary chat: nothing of it is written",
    line: "Temporary chat. Nothing of it is written; it is gone when QwenChat ends.",
  },

  notices: {
    dismiss: "Dismiss",
    notDismissed: (/** @type {string} */ why) => `The notice stays for now. ${why}`,
  },

  transfer: {
    menu: "Import and export",
    exportJson: "Export all conversations as JSON",
    exportMarkdown: "Export all conversations as Markdown",
    import: "Import conversations…",
    drop: "Drop to import conversations",
    label: "Import",
    sending: (/** @type {string} */ name) => `Sending ${name}`,
    running: (/** @type {string} */ name) => `Importing ${name}`,
    done: (/** @type {string} */ name) => `Imported ${name}`,
    cancelled: "The import was cancelled",
    failed: "The import did not come to its end",
    refused: (/** @type {string} */ name) => `${name} was not imported`,
    wrongKind: "Only .json files and .zip archives can be imported: exports of QwenChat or ChatGPT.",
    one: "Choose one file at a time.",
    imported: (/** @type {number} */ count) => `${number(count)} imported`,
    skipped: (/** @type {number} */ count) => `${number(count)} already here`,
    notImported: (/** @type {number} */ count) => `${number(count)} failed`,
    keeps: "What was imported before stays.",
    failures: "What failed",
    moreFailures: (/** @type {number} */ count) => `and ${number(count)} more`,
    cancel: "Cancel",
    dismiss: "Dismiss",
    notEnded: (/** @type {string} */ why) => `That did not work. ${why}`,
  },

  language: {
    label: "Language",
    notKept: "This browser keeps no choices, so the language stays. Allow storage for this page.",
  },

  theme: { label: "Theme", light: "Light", dark: "Dark", system: "Same as system" },

  model: {
    unknown: "Model",
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
    continue: "Continue",
    tryAgain: "Try again",
    showAll: "Show all",
    showLess: "Show less",
    stopped: "Stopped",
    contextFull: "The context is full; the answer ends here.",
    lengthReached: "The answer reached Max tokens and ends here. Raise it in Settings for longer ones.",
    nothing: "The model gave an empty answer.",
    interruptedTitle: "The answer was interrupted",
    interruptedWhy: "The app or the model ended before it was complete. The text so far is kept.",
    failedTitle: "No answer this time",
    brokenOffTitle: "The answer broke off",
    failedWhy: "Something went wrong while the answer was made.",
  },

  message: {
    edit: "Edit",
    editLabel: "Text of the message",
    editMessage: "Edit the message",
    save: "Save",
    saveKeys: "Ctrl+Enter saves, Escape cancels",
    cancel: "Cancel",
    more: "More",
    branch: "Branch into a new chat",
    branched: "This is the new chat. The other one stays as it is.",
    delete: "Delete",
    deleted: (/** @type {number} */ below) =>
      below ? `Deleted the message and ${number(below)} after it.` : "Deleted the message.",
    undo: "Undo",
    versions: "Versions",
    version: (/** @type {number} */ at, /** @type {number} */ of) => `Version ${at} of ${of}`,
    previous: "Previous version",
    next: "Next version",
    system: "System prompt that came with the import",
    tool: "Tool message that came with the import",
    gone: "That message is not there any more.",
  },

  codeBlock: { copy: "Copy", copyCode: "Copy code", copied: "Copied", plain: "Text" },

  copyChat: {
    label: "Copy the whole chat as Markdown",
    done: "Copied the whole chat.",
    failed: "The browser did not allow copying.",
    roles: { user: "You", assistant: "Answer", system: "System", tool: "Tool" },
  },

  leftOut: {
    line: (/** @type {number} */ count) =>
      count === 1
        ? "1 earlier message was left out of what the model reads"
        : `${number(count)} earlier messages were left out of what the model reads`,
    why:
      "The chat has grown longer than the model's context. For the last answer the model read " +
      "the system prompt and the messages from here on. Nothing is deleted: you can read it all, " +
      "and a new chat with a summary lets the model know of it again.",
  },

  meter: {
    label: "How full the context is",
    none: "–",
    unknown: "How full the context is: not known until the model is ready",
    used: (/** @type {number} */ used, /** @type {number} */ of) =>
      `The context has ${number(used)} of ${number(of)} tokens`,
    system: "System prompt",
    history: "Earlier messages",
    message: "This message",
    reserve: "Reserved for the answer",
    free: "Free",
    over: "Too much",
    about: (/** @type {number} */ length) => `The model's context holds ${number(length)} tokens.`,
  },

  overflow: {
    title: (/** @type {number} */ needed, /** @type {number} */ of) =>
      `This turn does not fit: ${number(needed)} of ${number(of)} tokens.`,
    tooLong: (/** @type {number} */ needed, /** @type {number} */ of) =>
      `The message is too long for the model: ${number(needed)} of ${number(of)} tokens.`,
    leaveOut: "Leave out the oldest turns",
    leavesOut: (/** @type {number} */ count) => `leaves out ${counted(count, "message", "messages")}`,
    shorten: "Shorten the answer",
    shortensTo: (/** @type {number} */ tokens) => `to ${counted(tokens, "token", "tokens")}`,
    shortenBy: (/** @type {number} */ tokens) =>
      `Shorten the message by about ${counted(tokens, "token", "tokens")}, or send it in parts.`,
    summarize: "New chat with a summary",
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
    edited: "edited",
    tokens: (/** @type {number} */ tokens) => `${number(tokens)} tok`,
    rate: (/** @type {number} */ rate) => `${decimal(rate)} tok/s`,
    first: (/** @type {number} */ seconds) => `${spent(seconds)} TTFT`,
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
    notReached: "The server was not reached. Try again when it is back.",
    unexpected: (/** @type {number} */ status) =>
      `The server answered in an unexpected way (${status}). Try again.`,
  },
};
