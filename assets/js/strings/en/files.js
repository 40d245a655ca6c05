/** Every word about files in messages, in English. */

import { counted, number } from "../../numbers.js";

const UNITS = {
  page: ["page", "pages"],
  line: ["line", "lines"],
  character: ["character", "characters"],
};

export const files = {
  files: {
    add: "Add files",
    list: "Files of this message",
    drop: "Drop files to add them to the message",
    dropHint: "Text, Markdown, code, CSV, PDF, Word",
    kinds: { text: "Text", markdown: "Markdown", code: "Code", csv: "Table", pdf: "PDF", docx: "Word" },
    sending: (/** @type {number} */ percent) => `Sending ${percent} %`,
    waiting: "Waiting",
    reading: "Reading",
    added: (/** @type {string} */ name) => `${name} added`,
    removed: (/** @type {string} */ name) => `${name} removed`,
    remove: (/** @type {string} */ name) => `Remove ${name}`,
    cancel: (/** @type {string} */ name) => `Cancel ${name}`,
    open: (/** @type {string} */ about) => `Show ${about}`,
    busy: "A file is still being read. Send in a moment.",
    tokens: (/** @type {number} */ count) => counted(count, "token", "tokens"),
    over: (/** @type {number} */ count, /** @type {number} */ of) =>
      `${number(count)} of ${number(of)} tokens`,
    count: (/** @type {"page"|"line"|"character"} */ unit, /** @type {number} */ count) =>
      counted(count, UNITS[unit][0], UNITS[unit][1]),
    range: (
      /** @type {"page"|"line"|"character"} */ unit,
      /** @type {number} */ first,
      /** @type {number} */ last,
    ) => (first === last ? `${UNITS[unit][0]} ${number(first)}` : `${UNITS[unit][1]} ${number(first)} to ${number(last)}`),
    rangeOf: (
      /** @type {string} */ range,
      /** @type {"page"|"line"|"character"} */ _unit,
      /** @type {number} */ count,
    ) => `${range} of ${number(count)}`,
    cut: "only its beginning was read",
    picture: (/** @type {string} */ name) =>
      `${name} is a picture, and this model reads text only: it cannot see pictures.`,
    tooLarge: (/** @type {string} */ name, /** @type {number} */ mebibytes) =>
      `${name} is larger than ${mebibytes} MB, the most that is read. Save the part you need as a file of its own.`,
    folder: (/** @type {string} */ name) => `${name} is a folder. Add the files in it.`,
    tooMany: (/** @type {number} */ most) => `A message takes ${most} files at most.`,
    gone: (/** @type {string} */ name) =>
      `${name} is not here any more: files that are not sent are kept for a day. Add it again.`,
    pasted: "pasted text.txt",
    pastedLong: (/** @type {number} */ characters) => `You pasted ${number(characters)} characters.`,
    makeFile: "Keep them as a file",
    importTitle: (/** @type {string} */ name) => `Import ${name}?`,
    importText: "It holds exported conversations. They can be imported into the list, or the file can be added to this message.",
    importArchive: "A .zip archive cannot be added to a message, but if it is an export of conversations it can be imported into the list.",
    importYes: "Import",
    attach: "Add to the message",
    cancelImport: "Cancel",
    close: "Close",
    loading: "Reading the text",
    whatIsRead: "What the model reads",
    from: "From",
    to: "to",
    ofUnits: { page: "Pages", line: "Lines", character: "Characters" },
    all: "All of it",
    beginning: "The beginning that fits",
    chooseRange: "Choose a part…",
    nothingFits: "Not even its first part fits beside the rest. Shorten the message, or begin a new chat.",
    counting: "Counting",
    chosen: (/** @type {string} */ range, /** @type {string} */ tokens) => `${range} · ${tokens}`,
    fits: "fits",
    doesNotFit: "does not fit",
    more: (/** @type {number} */ characters) => `… ${number(characters)} more characters`,
    text: "Text of the file",
  },
};
