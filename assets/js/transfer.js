/** Conversations out to a file and in from one: the menu at the foot, and files dropped here. */

import { api, exportAddress, reasonOf } from "./api.js";
import { el, icon, iconButton } from "./dom.js";
import { sendingEnded, sendingFailed, startSending } from "./import-card.js";
import { toggleMenu } from "./menu.js";
import { strings } from "./strings.js";

const words = strings.transfer;

const chooser = el("input", {
  type: "file",
  id: "import-file",
  hidden: true,
  "aria-label": words.import,
  accept: ".json,.zip,application/json,application/zip",
  onChange: () => {
    const file = chooser.files?.[0];
    if (file) void importFile(file);
    chooser.value = ""; // the same file can be chosen again
  },
});
const button = iconButton("more", words.menu, openMenu, {
  id: "transfer-menu",
  "aria-haspopup": "menu",
  "aria-expanded": "false",
});

/** At the foot of the side bar. */
export const transferMenu = el("div", { class: "qc-transfer" }, button, chooser);

/** Over the side bar while a file is dragged across it. */
export const dropPlace = el(
  "div",
  { class: "qc-drop", hidden: true, "aria-hidden": "true" },
  icon("upload"),
  el("span", { text: words.drop }),
);

function openMenu() {
  toggleMenu(button, words.menu, [
    { label: words.import, icon: "upload", run: () => chooser.click() },
    { label: words.exportJson, icon: "download", download: exportAddress("json") },
    { label: words.exportMarkdown, icon: "download", download: exportAddress("markdown") },
  ]);
}

/** @param {HTMLElement} area  Where files can be dropped. */
export function startTransfer(area) {
  let inside = 0;
  const show = (/** @type {number} */ count) => {
    inside = count;
    dropPlace.hidden = count === 0;
  };
  const withFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files");
  area.addEventListener("dragenter", (event) => withFiles(event) && show(inside + 1));
  area.addEventListener("dragleave", (event) => withFiles(event) && show(Math.max(0, inside - 1)));
  area.addEventListener("dragover", (event) => {
    if (!withFiles(event) || !event.dataTransfer) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
  });
  area.addEventListener("drop", (event) => {
    if (!withFiles(event)) return;
    event.preventDefault();
    show(0);
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 1) sendingFailed(words.refused(files[0].name), words.one);
    else if (files.length === 1) void importFile(files[0]);
  });
}

/** @param {File} file */
export async function importFile(file) {
  if (!/\.(json|zip)$/i.test(file.name)) {
    return sendingFailed(words.refused(file.name), words.wrongKind);
  }
  const signal = startSending(file.name);
  try {
    sendingEnded((await api.importFile(file, signal)).import);
  } catch (error) {
    if (signal.aborted) sendingEnded(null);
    else sendingFailed(words.refused(file.name), reasonOf(error));
  }
}
