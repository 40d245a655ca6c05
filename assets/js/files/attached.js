/**
 * The files in the message box: being sent to the server, read there, waiting to go along.
 * They belong to a draft as its text does, and outlive a reload.
 */

import { api, reasonOf } from "../api.js";
import { recall, remember, shelfOf } from "../storage.js";
import { emit, isTemporary, on, state } from "../store.js";
import { strings } from "../strings.js";
import { refusal, upload } from "./upload.js";

/** @typedef {import("../types.js").FileValue} FileValue */
/** @typedef {import("../types.js").FileChoice} FileChoice */
/**
 * One file. `share` is how much of it is sent; `file` is there once it was read.
 *
 * @typedef {{key: string, name: string, size: number, share: number, file: FileValue | null,
 *   from: number | null, to: number | null, tokens: number | null,
 *   cancel: AbortController}} Item
 */
/** @typedef {string | null} Owner */

/** As chat/uploads.py has it. */
const MOST_FILES = 20;
const COUNT_MS = 200;

/** @type {Item[]} */
let items = [];
/** Undefined until the first is shown. @type {Owner | undefined} */
let owner;
let numbers = 0;
/** One after the other, because the server has little to read them with. */
let queue = Promise.resolve();

const words = strings.files;
const key = (/** @type {Owner} */ whose) => `files.${whose ?? "new"}`;

/** @returns {readonly Item[]} */
export const attached = () => items;

export const hasFiles = () => items.some(({ file }) => file);

/** Whether one is still on its way. */
export const isReading = () => items.some(({ file }) => !file);

/** A file of a message, to be sent with another one. @param {{id: string, from: number | null, to: number | null}} file */
export const fileChoice = ({ id, from, to }) => ({ id, from, to });

/** What goes along with the message. @returns {FileChoice[]} */
export const fileChoices = () => items.flatMap((item) => (item.file ? [choiceOf(item)] : []));

/** @param {{file: FileValue | null, from: number | null, to: number | null}} item @returns {FileChoice} */
export const choiceOf = ({ file, from, to }) => ({ id: /** @type {FileValue} */ (file).id, from, to });

/** As a message tells of them. @param {Item[]} some @returns {import("../types.js").Attachment[]} */
export const asAttachments = (some) =>
  some.flatMap(({ file, from, to }) => (file ? [{ ...file, from, to }] : []));

export function startAttached() {
  on("engine", () => {
    if (state.engine?.state !== "ready") return;
    for (const item of items) if (item.file && item.tokens === null) void count(item);
  });
}

/** @param {Iterable<File>} files */
export function addFiles(files) {
  /** @type {string[]} */
  const problems = [];
  for (const file of files) {
    const why = items.length >= MOST_FILES ? words.tooMany(MOST_FILES) : refusal(file);
    if (why) problems.push(why);
    else add(file);
  }
  if (problems.length) emit("problem", [...new Set(problems)].join(" "));
}

/** @param {File} file */
function add(file) {
  /** @type {Item} */
  const item = {
    key: `file-${(numbers += 1)}`,
    name: file.name,
    size: file.size,
    share: 0,
    file: null,
    from: null,
    to: null,
    tokens: null,
    cancel: new AbortController(),
  };
  items.push(item);
  changed();
  queue = queue.then(() => send(item, file));
}

/** @param {Item} item @param {File} file */
async function send(item, file) {
  const { signal } = item.cancel;
  if (signal.aborted) return;
  try {
    const temporary = isTemporary(owner ?? null);
    item.file = await upload(file, {
      temporary,
      signal,
      onProgress: (share) => {
        item.share = share;
        emit("files");
      },
    });
    item.name = item.file.name;
    item.tokens = item.file.tokens;
    emit("file-news", words.added(item.name));
    changed();
  } catch (error) {
    if (signal.aborted) return;
    drop(item);
    emit("problem", reasonOf(error));
  }
}

/** @param {Item} item */
export function removeFile(item) {
  item.cancel.abort();
  drop(item);
  emit("file-news", words.removed(item.name));
  // A copy that waits for nothing; the server forgets it by itself where this does not arrive.
  if (item.file) api.deleteFile(item.file.id).catch(() => {});
}

/** @param {Item} item */
function drop(item) {
  items = items.filter((one) => one !== item);
  changed();
}

/** Another part of a file is to be read; null is all of it. @param {Item} item @param {number | null} from @param {number | null} to */
export function setRange(item, from, to) {
  const count_ = item.file?.count ?? 1;
  const isAll = (from ?? 1) <= 1 && (to ?? count_) >= count_;
  const [first, last] = isAll ? [null, null] : [from ?? 1, to ?? count_];
  if (item.from === first && item.to === last) return;
  [item.from, item.to, item.tokens] = [first, last, null];
  changed();
  void count(item);
}

/** @type {WeakMap<Item, ReturnType<typeof setTimeout>>} */
const counting = new WeakMap();

/** @param {Item} item */
async function count(item) {
  clearTimeout(counting.get(item));
  counting.set(
    item,
    setTimeout(async () => {
      const { from, to } = item;
      try {
        const { tokens } = await api.fileTokens(choiceOf(item), state.openId);
        if (item.from !== from || item.to !== to) return;
        item.tokens = tokens;
        save();
        emit("files");
      } catch {
        // The chip shows no count; the meter and sending say what is wrong.
      }
    }, COUNT_MS),
  );
}

/** Take all files out, as to send them. */
export function takeFiles() {
  const taken = items;
  items = [];
  changed();
  return taken;
}

/** Put back what was not sent. @param {Item[]} some @param {Owner} whose */
export function giveFilesBack(some, whose) {
  if (!some.length) return;
  if (whose !== owner) return keep(whose, [...some, ...kept(whose)]);
  items = [...some, ...items];
  changed();
}

/** Another draft is in the box. @param {Owner} next @param {boolean} [moving]  With the files that are here. */
export function showFilesOf(next, moving = false) {
  if (next === owner && !moving) return;
  if (moving && owner !== undefined) keep(owner, []);
  else for (const item of items) if (!item.file) item.cancel.abort();
  owner = next;
  if (!moving) items = kept(next);
  changed();
  if (!moving) for (const item of items) void check(item);
}

/** What a reload brought back may be gone meanwhile. @param {Item} item */
async function check(item) {
  try {
    const { file } = await api.file(choiceOf(item).id, state.openId);
    item.file = file;
    if (item.tokens === null) void count(item);
  } catch (error) {
    if (/** @type {any} */ (error).code !== "file_not_found" || !items.includes(item)) return;
    drop(item);
    emit("problem", words.gone(item.name));
  }
}

function changed() {
  save();
  emit("files");
}

const save = () => owner !== undefined && keep(owner, items);

/** @param {Owner} whose @param {Item[]} some */
function keep(whose, some) {
  const ready = some.filter(({ file }) => file);
  const text = ready.map(({ file, from, to, tokens }) => ({ file: { ...file, preview: "" }, from, to, tokens }));
  remember(key(whose), ready.length ? JSON.stringify(text) : null, shelfOf(whose));
}

/** @param {Owner} whose @returns {Item[]} */
function kept(whose) {
  try {
    return JSON.parse(recall(key(whose), shelfOf(whose)) ?? "[]").map((/** @type {any} */ one) => ({
      key: `file-${(numbers += 1)}`,
      name: String(one.file.name),
      size: Number(one.file.size),
      share: 1,
      file: one.file,
      from: one.from,
      to: one.to,
      tokens: one.tokens,
      cancel: new AbortController(),
    }));
  } catch {
    return [];
  }
}
