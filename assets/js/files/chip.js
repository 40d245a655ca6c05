/** One file as a small button that shows its text: in the message box and in a sent message. */

import { el, icon } from "../dom.js";
import { size } from "../numbers.js";
import { strings } from "../strings.js";

/** @typedef {import("../types.js").Attachment} Attachment */

const words = strings.files;

/** @type {Record<string, "file" | "code" | "table">} */
const ICONS = { code: "code", csv: "table" };

/** @param {string} kind */
export const kindIcon = (kind) => icon(ICONS[kind] ?? "file");

/** Which part of the file is read, in words. @param {Attachment} file */
export function rangeWords({ unit, count, from, to }) {
  if (from === null && to === null) return words.count(unit, count);
  return words.rangeOf(words.range(unit, from ?? 1, to ?? count), unit, count);
}

/** What is to be known of a file beside its name. @param {Attachment} file */
export const about = (file) => [
  words.kinds[file.kind] ?? "",
  size(file.size),
  rangeWords(file),
  ...(file.cut ? [words.cut] : []),
];

/**
 * @param {{name: string, kind: string, detail: string, label: string,
 *   onOpen: (() => void) | null}} options  Null: there is nothing to show yet.
 */
export function createChip({ name, kind, detail, label, onOpen }) {
  return el(
    "button",
    { type: "button", class: "qc-file-chip-main", "aria-label": label, title: label,
      disabled: onOpen === null, onClick: onOpen ?? (() => {}) },
    kindIcon(kind),
    el(
      "span",
      { class: "qc-file-chip-words" },
      el("span", { class: "qc-file-chip-name", dir: "auto", text: name }),
      el("span", { class: "qc-file-chip-detail qc-number", text: detail }),
    ),
  );
}
