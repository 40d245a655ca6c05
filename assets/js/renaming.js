/** Renaming in place: the row becomes a field until Enter, Escape, or a look elsewhere. */

import { api, reasonOf } from "./api.js";
import { linkOf } from "./conversation-row.js";
import * as conversations from "./conversations.js";
import { el } from "./dom.js";
import { strings } from "./strings.js";
import { toast } from "./toast.js";

const words = strings.sidebar;

/** @param {HTMLElement} row @param {string} id @param {() => void} onDone */
export function startRenaming(row, id, onDone) {
  const old = conversations.get(id)?.title;
  if (old === undefined || row.classList.contains("qc-renaming")) return;
  const field = el("input", {
    class: "qc-rename",
    type: "text",
    "aria-label": words.renameLabel,
    autocomplete: "off",
    dir: "auto",
    enterkeyhint: "done",
  });
  field.value = old;
  let over = false;

  /** @param {boolean} save @param {boolean} back  Whether the focus returns to the row. */
  function end(save, back) {
    if (over) return;
    over = true;
    const title = field.value.trim();
    row.classList.remove("qc-renaming");
    if (back) linkOf(row).focus({ preventScroll: true });
    field.remove();
    if (save && title && title !== old) void rename(id, title, old ?? "").then(onDone);
  }

  field.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter") end(true, true);
    else if (event.key === "Escape") end(false, true);
    else return;
    event.preventDefault();
  });
  field.addEventListener("blur", () => end(true, false));
  row.classList.add("qc-renaming");
  row.append(field);
  field.focus({ preventScroll: true });
  field.select();
}

/** @param {string} id @param {string} title @param {string} old */
async function rename(id, title, old) {
  conversations.patch(id, { title });
  try {
    const answer = await api.changeConversation(id, { title });
    conversations.patch(id, { title: answer.title });
  } catch (error) {
    if (conversations.get(id)?.title === title) conversations.patch(id, { title: old });
    toast({ text: words.notRenamed(old || words.untitled, reasonOf(error)) });
  }
}
