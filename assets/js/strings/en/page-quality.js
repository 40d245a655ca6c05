/** The words of the page as an application: its tab, its banners, its keys. In English. */

export const pageQuality = {
  tab: {
    ready: (/** @type {string} */ title) => `● Answer ready · ${title}`,
    failed: (/** @type {string} */ title) => `● No answer · ${title}`,
  },

  banner: {
    lost: "The connection is lost. It is tried again by itself; what you write stays here.",
    away: "QwenChat does not answer. If it was closed, start it again; this page goes on by itself.",
    retry: "Try now",
    restarted: "QwenChat was started again. Everything that was saved is here.",
    engine: "The model stopped and is started again; the text so far is kept.",
    dismiss: "Dismiss",
  },

  waits: {
    opening: "Opening the conversation",
    searching: "Searching",
  },

  keys: {
    button: "Keyboard shortcuts",
    title: "Keyboard shortcuts",
    close: "Close",
    groups: { chat: "Chat", page: "Page", box: "In the message box" },
    newChat: "New chat",
    search: "Search conversations",
    focusBox: "Go to the message box",
    stop: "Stop the answer",
    copyLast: "Copy the last answer",
    editLast: "Edit your last message",
    previous: "Previous conversation",
    next: "Next conversation",
    sidebar: "Show or hide conversations",
    settings: "Show or hide settings",
    help: "This list",
    send: "Send",
    newLine: "New line",
    closeTop: "Close what is on top",
    or: "or",
    whileEmpty: (/** @type {string} */ what) => `${what}, while it is empty`,
    outside: "Where only one key is shown, it works outside text boxes.",
    nothingToCopy: "There is no answer to copy yet.",
    nothingToEdit: "There is no message of yours to edit.",
    copied: "Copied the last answer.",
    notCopied: "The browser did not allow copying.",
  },
};
