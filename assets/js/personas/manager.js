/** The window with all personas, or all presets: change, duplicate, delete, share. */

import { api, reasonOf, shelfAddress } from "../api.js";
import { el, icon, iconButton } from "../dom.js";
import { on, state } from "../store.js";
import { strings } from "../strings.js";
import { toast } from "../toast.js";
import { openDialog } from "./dialog.js";
import { editPersona, editPreset } from "./editor.js";
import { pictureOf } from "./icons.js";
import { questionsOf, textOf } from "./known.js";
import { samplingLine } from "./sampling-words.js";

const words = strings.manager;

/** @typedef {"personas" | "presets"} Shelf */

/** What is on a shelf. @param {Shelf} shelf @returns {any[]} */
const all = (shelf) => state[shelf];

/** @type {{shelf: Shelf, list: HTMLElement, foot: HTMLElement, draw: () => void} | null} */
let open = null;

export function startManager() {
  on(["personas", "presets"], () => open?.draw());
}

/** @param {Shelf} shelf */
export function openManager(shelf) {
  const list = el("ul", { class: "qc-kept" });
  const foot = el("div", { class: "qc-window-foot" });
  const notice = el("p", { class: "qc-notice", role: "alert", hidden: true });
  const file = el("input", { type: "file", accept: ".json,application/json", hidden: true });
  file.addEventListener("change", () => void bringIn());
  const draw = () => {
    list.replaceChildren(...all(shelf).map((one) => rowOf(shelf, one)));
    const own = all(shelf).some((one) => !one.builtin);
    foot.replaceChildren(
      ...(shelf === "personas" ? [action("plus", strings.personas.create, () => editPersona(null))] : []),
      action("upload", words.import, () => file.click()),
      ...(own ? [el("a", { class: "qc-button qc-with-icon", href: shelfAddress(shelf), download: "" },
        icon("download"), words.exportAll)] : []),
    );
  };
  open = { shelf, list, foot, draw };
  openDialog(words.titles[shelf], [list, notice, foot, file], { onClose: () => (open = null) });
  draw();

  async function bringIn() {
    const chosen = file.files?.[0];
    file.value = "";
    if (!chosen) return;
    notice.hidden = true;
    try {
      const answer = await api.importOn(shelf, chosen);
      toast({ text: words.imported(answer[shelf].length) });
    } catch (error) {
      notice.textContent = reasonOf(error);
      notice.hidden = false;
    }
  }
}

/** @param {Parameters<typeof icon>[0]} picture @param {string} label @param {() => void} run */
const action = (picture, label, run) =>
  el("button", { type: "button", class: "qc-button qc-with-icon", onClick: run }, icon(picture), label);

/** @param {Shelf} shelf @param {any} one */
function rowOf(shelf, one) {
  const name = textOf(one.name);
  const isPersona = shelf === "personas";
  const about = isPersona ? textOf(one.system_prompt).trim() || words.noPrompt : samplingLine(one.sampling);
  const parts = {
    name,
    icon: one.icon,
    system_prompt: isPersona ? textOf(one.system_prompt) : "",
    sampling: one.sampling,
    questions: isPersona ? questionsOf(one) : [],
  };
  const change = () => (isPersona ? editPersona(one.id, parts) : editPreset(one.id, parts));
  const copy = () => void duplicate(shelf, parts);
  return el(
    "li",
    { class: "qc-kept-row" },
    isPersona ? pictureOf(one) : null,
    el("div", { class: "qc-kept-text" },
      el("span", { class: "qc-kept-name", dir: "auto", text: name }),
      el("span", { class: "qc-hint", dir: "auto", text: about })),
    !one.builtin && iconButton("rename", words.edit(name), change),
    iconButton("copy", words.duplicate(name), copy),
    !one.builtin && el("a", { class: "qc-icon-button", href: shelfAddress(shelf, one.id), download: "",
      "aria-label": words.export(name), title: words.export(name) }, icon("download")),
    !one.builtin && iconButton("trash", words.delete(name), () => void remove(shelf, one.id, name)),
  );
}

/** @param {Shelf} shelf @param {any} parts */
async function duplicate(shelf, parts) {
  const { name, sampling } = parts;
  const copy = { name: words.copyOf(name).slice(0, 60), sampling };
  try {
    await api.keepOn(shelf, shelf === "personas" ? { ...parts, ...copy } : copy);
  } catch (error) {
    toast({ text: words.failed(reasonOf(error)) });
  }
}

/** Gone at once, and back at one press. @param {Shelf} shelf @param {string} id @param {string} name */
async function remove(shelf, id, name) {
  try {
    await api.deleteOn(shelf, id);
    toast({ text: words.deleted(name), action: { label: strings.sidebar.undo, run: () => void undo() } });
  } catch (error) {
    toast({ text: words.failed(reasonOf(error)) });
  }

  async function undo() {
    try {
      await api.restoreOn(shelf, id);
    } catch (error) {
      toast({ text: words.failed(reasonOf(error)), action: { label: strings.sidebar.undo, run: () => void undo() } });
    }
  }
}
