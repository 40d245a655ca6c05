/** The files in the message box, above its text: how far each is, and its way out. */

import { el, icon, setText } from "../dom.js";
import { lastMeasurement } from "../measure.js";
import { on } from "../store.js";
import { strings } from "../strings.js";
import { asAttachments, attached, removeFile } from "./attached.js";
import { about, createChip, rangeWords } from "./chip.js";
import { openPreview } from "./preview.js";

/** @typedef {import("./attached.js").Item} Item */

const words = strings.files;

const list = el("ul", { class: "qc-file-chips", "aria-label": words.list, hidden: true });
const news = el("span", { class: "qc-hidden", role: "status" });

/** For the frame of the message box. */
export const fileChips = el("div", { class: "qc-composer-files" }, list, news);

/** @type {Map<string, {root: HTMLElement, drawn: string}>} */
const shown = new Map();

export function startChips() {
  on(["files", "measured"], draw);
  on("file-news", (/** @type {string} */ text) => setText(news, text));
  draw();
}

function draw() {
  const items = attached();
  list.hidden = items.length === 0;
  const keys = new Set(items.map((item) => item.key));
  for (const [key, { root }] of shown) {
    if (keys.has(key)) continue;
    if (root.contains(document.activeElement)) focusBeside(root);
    root.remove();
    shown.delete(key);
  }
  items.forEach((item, index) => {
    const one = shown.get(item.key) ?? { root: el("li", { class: "qc-file-chip" }), drawn: "" };
    shown.set(item.key, one);
    const now = JSON.stringify([item.name, item.share, !item.file, item.from, item.to, item.tokens, limit()]);
    if (one.drawn !== now) fill(one.root, item);
    one.drawn = now;
    // What is moved loses the focus.
    if (list.children[index] !== one.root) list.insertBefore(one.root, list.children[index] ?? null);
  });
}

/** @param {HTMLElement} root @param {Item} item */
function fill(root, item) {
  const focused = root.contains(document.activeElement)
    ? /** @type {HTMLElement} */ (document.activeElement).className
    : "";
  const [file] = asAttachments([item]);
  const most = limit();
  const over = item.tokens !== null && most > 0 && item.tokens > most;
  root.dataset.state = file ? (over ? "over" : "ready") : "reading";
  root.style.setProperty("--qc-share", String(item.share));
  const detail = file ? details(item, file, over).join(" · ") : progressOf(item);
  root.replaceChildren(
    createChip({
      name: item.name,
      kind: file?.kind ?? "text",
      detail,
      label: file ? words.open([item.name, ...about(file), tokensOf(item, over)].filter(Boolean).join(", ")) : `${item.name}, ${detail}`,
      onOpen: file
        ? () => openPreview(file, item, () => root.querySelector(".qc-file-chip-main"))
        : null,
    }),
    el(
      "button",
      { type: "button", class: "qc-icon-button qc-file-chip-remove",
        "aria-label": file ? words.remove(item.name) : words.cancel(item.name),
        title: file ? words.remove(item.name) : words.cancel(item.name),
        onClick: () => removeFile(item) },
      icon("close"),
    ),
  );
  if (focused) /** @type {HTMLElement | null} */ (root.querySelector(`[class="${focused}"]`))?.focus({ preventScroll: true });
}

/** @param {Item} item @param {import("../types.js").Attachment} file @param {boolean} over */
function details(item, file, over) {
  const isPart = file.from !== null;
  return [isPart || item.tokens === null ? rangeWords(file) : "", tokensOf(item, over)].filter(Boolean);
}

/** @param {Item} item @param {boolean} over */
function tokensOf(item, over) {
  if (item.tokens === null) return "";
  return over ? words.over(item.tokens, limit()) : words.tokens(item.tokens);
}

/** @param {Item} item */
function progressOf(item) {
  if (item.share >= 1) return words.reading;
  return item.share > 0 ? words.sending(Math.floor(100 * item.share)) : words.waiting;
}

/** Tokens that the context holds; 0 while nobody knows. */
const limit = () => lastMeasurement()?.context_length ?? 0;

/** @param {HTMLElement} root */
function focusBeside(root) {
  const next = (root.nextElementSibling ?? root.previousElementSibling)?.querySelector("button");
  const box = document.getElementById("message-box");
  (next ?? box)?.focus({ preventScroll: true });
}
