/** Files dropped onto the chat, pasted into the message box, or chosen with its button. */

import { ask } from "../ask.js";
import { el, icon, iconButton } from "../dom.js";
import { emit } from "../store.js";
import { strings } from "../strings.js";
import { toast } from "../toast.js";
import { importFile } from "../transfer.js";
import { addFiles } from "./attached.js";

/** Pasted text from this length on may be better kept as a file. */
const LONG_TEXT = 2000;
/** As much of a file as tells whether it is an export of conversations. */
const HEAD_BYTES = 4096;

const words = strings.files;

const chooser = el("input", {
  type: "file",
  id: "attach-file",
  multiple: true,
  hidden: true,
  "aria-label": words.add,
  onChange: () => {
    void offer([...(chooser.files ?? [])]);
    chooser.value = ""; // the same file can be chosen again
  },
});

/** For the foot of the message box. */
export const attachButton = el(
  "span",
  { class: "qc-attach" },
  iconButton("attach", words.add, () => chooser.click(), { id: "attach" }),
  chooser,
);

/** Over the chat while files are dragged across it. */
export const fileDropPlace = el(
  "section",
  { class: "qc-file-drop", hidden: true, "aria-hidden": "true" },
  icon("attach"),
  el("span", { text: words.drop }),
  el("span", { class: "qc-hint", text: words.dropHint }),
);

/** The chat with its message box. */
const area = () => document.getElementById("qc-main");

const withFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") ?? false;

const isOverChat = (/** @type {Event} */ event) => area()?.contains(/** @type {Node} */ (event.target)) ?? false;

export function startDropping() {
  // On the whole page, so that a file that misses its place does not take the page's.
  addEventListener("dragover", (event) => {
    if (!withFiles(event) || event.defaultPrevented) return;
    event.preventDefault();
    const over = isOverChat(event);
    if (event.dataTransfer) event.dataTransfer.dropEffect = over ? "copy" : "none";
    show(over);
  });
  addEventListener("dragleave", (event) => event.relatedTarget === null && show(false));
  addEventListener("dragenter", (event) => withFiles(event) && show(isOverChat(event)));
  addEventListener("drop", (event) => {
    if (!withFiles(event) || event.defaultPrevented) return;
    event.preventDefault();
    show(false);
    if (isOverChat(event) && event.dataTransfer) void offer(filesOf(event.dataTransfer));
  });
}

/** @param {boolean} over */
function show(over) {
  fileDropPlace.hidden = !over;
  const place = area()?.getBoundingClientRect();
  if (!over || !place) return;
  fileDropPlace.style.left = `${place.left + 8}px`;
  fileDropPlace.style.width = `${place.width - 16}px`;
}

/** The files of a drop; a folder is told of and left out. @param {DataTransfer} carried */
function filesOf(carried) {
  const folders = [...carried.items]
    .map((one) => one.webkitGetAsEntry?.())
    .filter((entry) => entry?.isDirectory)
    .map((entry) => entry?.name ?? "");
  if (folders.length) emit("problem", words.folder(folders[0]));
  return [...carried.files].filter(({ name }) => !folders.includes(name));
}

/** Add files, but ask about exports of conversations. @param {File[]} files */
async function offer(files) {
  /** @type {File[]} */
  const plain = [];
  for (const file of files) {
    if (await isToBeImported(file)) void importFile(file);
    else if (!isArchive(file)) plain.push(file);
  }
  addFiles(plain);
  document.getElementById("message-box")?.focus({ preventScroll: true });
}

const isArchive = (/** @type {File} */ file) => /\.zip$/i.test(file.name);

/** @param {File} file */
async function isToBeImported(file) {
  const title = words.importTitle(file.name);
  if (isArchive(file)) {
    return ask({ title, text: words.importArchive, yes: words.importYes, no: words.cancelImport });
  }
  if (!/\.json$/i.test(file.name)) return false;
  const head = await file.slice(0, HEAD_BYTES).text().catch(() => "");
  const isExport = /"format"\s*:\s*"qwenchat-conversations"/.test(head) || /^\s*\[\s*\{[^]*"mapping"\s*:/.test(head);
  return isExport && ask({ title, text: words.importText, yes: words.importYes, no: words.attach });
}

/**
 * Files pasted into a box are added; long text is pasted as always, and may become a file.
 *
 * @param {HTMLTextAreaElement} box
 * @param {(text: string) => void} replaceText
 */
export function addPasted(box, replaceText) {
  box.addEventListener("paste", (event) => {
    const carried = event.clipboardData;
    if (!carried) return;
    const text = carried.getData("text/plain");
    // Word and Excel put a picture of the text beside it.
    if (carried.files.length && !text) {
      event.preventDefault();
      void offer([...carried.files]);
    } else if (text.length > LONG_TEXT) {
      const action = { label: words.makeFile, run: () => makeFile(box, text, replaceText) };
      toast({ text: words.pastedLong([...text].length), action });
    }
  });
}

/** @param {HTMLTextAreaElement} box @param {string} text @param {(text: string) => void} replaceText */
function makeFile(box, text, replaceText) {
  // As the box has it: line ends are its own there.
  const pasted = text.replace(/\r\n?/g, "\n");
  const at = box.value.lastIndexOf(pasted);
  if (at >= 0) replaceText(box.value.slice(0, at) + box.value.slice(at + pasted.length));
  addFiles([new File([pasted], words.pasted, { type: "text/plain" })]);
  box.focus({ preventScroll: true });
}
