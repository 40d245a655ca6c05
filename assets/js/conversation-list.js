/** The list in the side bar: conversations under their days, or what a search found. */

import { api, exportAddress, reasonOf } from "./api.js";
import { createRow, linkOf, menuButtonOf, updateRow } from "./conversation-row.js";
import * as conversations from "./conversations.js";
import { atMidnight, headings } from "./days.js";
import { deleteConversation } from "./deleting.js";
import { el, isNarrow, setText } from "./dom.js";
import { closeMenu, toggleMenu } from "./menu.js";
import { closeDrawer } from "./panels.js";
import { startRenaming } from "./renaming.js";
import { search, searchAgain } from "./search.js";
import { on, state } from "./store.js";
import { strings } from "./strings.js";
import { toast } from "./toast.js";
import { createVirtualList } from "./virtual-list.js";

const words = strings.sidebar;
const coarse = matchMedia("(pointer: coarse)");
/** Heights in pixels; sidebar.css draws rows as high as they are told to be. */
const HEIGHT = coarse.matches
  ? { heading: 34, row: 44, hit: 76, short: 60 }
  : { heading: 34, row: 36, hit: 70, short: 54 };

/**
 * @typedef {{key: string, height: number, heading: string, id: null}} Heading
 * @typedef {{key: string, height: number, id: string, position: number,
 *   hit: import("./types.js").Hit | null}} Row
 */

export const list = el("nav", { id: "conversation-list", "aria-label": words.label });
/** What stands where no rows are, or below them. */
const note = el("p", { class: "qc-hint", hidden: true });
const found = el("p", { class: "qc-hidden", role: "status" });

/** @type {ReturnType<typeof createVirtualList<Heading | Row>>} */
const rows = createVirtualList(list, { make, update, drawn: setTabStop });
list.append(note, found);

/** The row that Tab reaches. */
let reachable = "";
/** What the entries were made from, to see whether they must be made again. @type {any} */
let madeFrom = null;
let searching = false;
/** The conversation to bring into sight as soon as it is in the list. @type {string | null} */
let wanted = null;
/** Where the list was before a search. */
let placeBefore = 0;
let total = 0;

export function startList() {
  on("conversations", refresh);
  on("open", () => {
    wanted = state.openId;
    refresh();
  });
  list.addEventListener("keydown", onKey);
  list.addEventListener("scroll", closeMenu, { passive: true });
  list.addEventListener("focusin", ({ target }) => {
    const id = idOf(target);
    if (id) reachable = id;
    setTabStop(); // at once: Tab may be the next key
  });
  list.addEventListener("click", (event) => {
    const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (/** @type {Element} */ (event.target).closest("a") && isNarrow() && plain) closeDrawer();
  });
  atMidnight(() => {
    madeFrom = null;
    refresh();
  });
  wanted = state.openId;
  refresh();
}

/** Bring the list in line with what is known; what did not move is left alone. */
export function refresh() {
  const from = search.hits ?? conversations.inOrder();
  if (from === madeFrom) rows.schedule();
  else {
    const wasSearch = searching;
    searching = search.hits !== null;
    if (searching && !wasSearch) placeBefore = list.scrollTop;
    madeFrom = from;
    total = from.length;
    const entries = search.hits ? hitEntries(search.hits) : dayEntries(conversations.inOrder());
    if (searching) rows.set(entries, 0);
    else rows.set(entries, wasSearch ? placeBefore : null);
  }
  showNote();
  revealWanted();
}

function revealWanted() {
  const id = wanted;
  if (!id || searching || rows.indexOf(id) < 0) return;
  wanted = null;
  requestAnimationFrame(() => rows.reveal(id));
}

/** @param {import("./types.js").Hit[]} hits @returns {Row[]} */
function hitEntries(hits) {
  return hits.map((hit, index) => ({
    key: hit.conversation_id,
    height: heightOf(hit),
    id: hit.conversation_id,
    position: index + 1,
    hit,
  }));
}

/** Letters on one line of the side bar; Chinese ones are twice as wide. */
const LINE = 32;

/** @param {import("./types.js").Hit} hit */
function heightOf({ snippet }) {
  if (!snippet.length) return HEIGHT.row;
  const text = snippet.map(([piece]) => piece).join("");
  const wide = text.match(/[\u1100-\uffef]/g)?.length ?? 0;
  return text.length + wide > LINE ? HEIGHT.hit : HEIGHT.short;
}

/** @param {readonly string[]} ids */
function dayEntries(ids) {
  const headingOf = headings();
  /** @type {(Heading | Row)[]} */
  const entries = [];
  let last = "";
  ids.forEach((id, index) => {
    const heading = headingOf(/** @type {any} */ (conversations.get(id)));
    if (heading !== last) {
      entries.push({ key: `heading ${heading}`, height: HEIGHT.heading, heading, id: null });
    }
    last = heading;
    entries.push({ key: id, height: HEIGHT.row, id, position: index + 1, hit: null });
  });
  return entries;
}

function showNote() {
  let text = "";
  if (search.hits) {
    text = total ? (search.more ? words.moreFound : "") : words.nothingFound;
    if (search.problem) text = words.searchFailed(search.problem);
    setText(found, search.problem ? "" : total ? words.found(total) : "");
  } else {
    setText(found, "");
    if (conversations.known && !total) text = words.empty;
  }
  if (search.slow) text = strings.waits.searching;
  setText(note, text);
  if (note.hidden === Boolean(text)) note.hidden = !text;
}

/** @param {Heading | Row} entry */
function make(entry) {
  if (entry.id === null) {
    return el("div", { class: "qc-row", role: "listitem" }, el("h2", { text: entry.heading }));
  }
  return createRow(entry.id, openMenu);
}

/** @param {HTMLElement} node @param {Heading | Row} entry */
function update(node, entry) {
  const height = `${entry.height}px`;
  if (node.style.height !== height) node.style.height = height;
  if (entry.id === null) return;
  node.classList.toggle("qc-short", entry.height === HEIGHT.short);
  const { id, hit, position } = entry;
  const summary = conversations.get(id);
  const title = summary?.title ?? hit?.title.map(([text]) => text).join("") ?? "";
  const running = summary?.running ?? false;
  const current = id === state.openId;
  updateRow(node, { id, title, running, hit, current, position, total });
}

/** One row is reached by Tab: the last one used, the open one, or the first in sight. */
function setTabStop() {
  const links = [...rows.content.querySelectorAll("a")];
  const ids = links.map((link) => link.dataset.conversationId);
  const stop = Math.max(0, ids.includes(reachable) ? ids.indexOf(reachable) : ids.indexOf(state.openId ?? ""));
  links.forEach((link, index) => {
    const tabIndex = index === stop ? 0 : -1;
    const button = menuButtonOf(/** @type {HTMLElement} */ (link.parentElement));
    for (const node of [link, button]) {
      if (node.getAttribute("tabindex") !== String(tabIndex)) node.tabIndex = tabIndex;
    }
  });
}

/** @param {EventTarget | null} target */
const idOf = (target) =>
  /** @type {Element} */ (target).closest(".qc-row")?.querySelector("a")?.dataset.conversationId;

/** @param {KeyboardEvent} event */
function onKey(event) {
  const id = idOf(event.target);
  if (!id || event.ctrlKey || event.metaKey || event.altKey) return;
  const row = rows.node(id);
  const page = Math.max(1, Math.floor(list.clientHeight / HEIGHT.row) - 1);
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[
    event.key
  ];
  if (step !== undefined) focusBeside(id, step);
  else if (event.key === "F2" && row) startRenaming(row, id, searchOnceMore);
  else if (event.key === "Delete") remove(id);
  else return;
  event.preventDefault();
}

/** @param {string} id @param {number} step */
function focusBeside(id, step) {
  const entries = /** @type {Row[]} */ (rows.entries().filter((entry) => entry.id !== null));
  const at = entries.findIndex((entry) => entry.id === id);
  focusRow(entries[Math.min(entries.length - 1, Math.max(0, at + step))]?.id);
}

/** @param {string | undefined} id */
function focusRow(id) {
  if (!id) return;
  rows.reveal(id);
  const row = rows.node(id);
  if (row) linkOf(row).focus({ preventScroll: true });
}

/** From the search field into what was found. */
export function focusFirst() {
  focusRow(rows.entries().find((entry) => entry.id !== null)?.id ?? undefined);
}

/** @param {string} id @param {HTMLElement} button */
function openMenu(id, button) {
  const summary = conversations.get(id);
  if (!summary) return;
  reachable = id;
  const row = rows.node(id);
  row?.classList.add("qc-menu-open");
  const pinning = summary.pinned ? words.unpin : words.pin;
  toggleMenu(
    button,
    words.options(summary.title || words.untitled),
    [
      { label: words.rename, icon: "rename", run: () => rename(id) },
      { label: pinning, icon: "pin", run: () => void pin(id) },
      { label: words.exportMarkdown, icon: "download", download: exportAddress("markdown", id) },
      { label: words.exportJson, icon: "download", download: exportAddress("json", id) },
      { label: words.delete, icon: "trash", danger: true, run: () => remove(id) },
    ],
    { onClose: () => row?.classList.remove("qc-menu-open") },
  );
}

/** @param {string} id */
function rename(id) {
  rows.reveal(id);
  const row = rows.node(id);
  if (row) startRenaming(row, id, searchOnceMore);
}

/** @param {string} id */
async function pin(id) {
  const summary = conversations.get(id);
  if (!summary) return;
  const pinned = !summary.pinned;
  conversations.patch(id, { pinned });
  try {
    await api.changeConversation(id, { pinned });
  } catch (error) {
    conversations.patch(id, { pinned: !pinned });
    const text = pinned ? words.notPinned : words.notUnpinned;
    toast({ text: text(summary.title || words.untitled, reasonOf(error)) });
  }
}

/** Delete, and go on with the row that takes its place. @param {string} id */
function remove(id) {
  const focused = rows.node(id)?.contains(document.activeElement);
  const entries = rows.entries().filter((entry) => entry.id !== null);
  const at = entries.findIndex((entry) => entry.id === id);
  const next = (entries[at + 1] ?? entries[at - 1])?.id;
  if (focused) focusRow(next ?? undefined);
  search.hits &&= search.hits.filter((hit) => hit.conversation_id !== id);
  void deleteConversation(id, searchOnceMore);
}

/** What a search shows may be another now. */
const searchOnceMore = () => searchAgain(refresh);
