/** Changing a message in its place. What is typed stays until it is sent or given up. */

import { el, isTouch } from "./dom.js";
import { state } from "./store.js";
import { recall, remember, shelfOf } from "./storage.js";
import { strings } from "./strings.js";
import { fit, sendOnEnter } from "./text-box.js";

const words = strings.message;

const key = (/** @type {string} */ id) => `edit.${id}`;

/** Kept until it is sent or given up, so that it outlives the message's place on the page. */
const shelf = () => shelfOf(state.openId, sessionStorage);

/** @param {string} id @returns {string | null} what was being made of this message */
export const begunEdit = (id) => recall(key(id), shelf());

const keep = (/** @type {string} */ id, /** @type {string | null} */ text) =>
  remember(key(id), text, shelf());

/**
 * @param {object} options
 * @param {import("./types.js").Message} options.message
 * @param {string} options.action  What the button says.
 * @param {boolean} options.plainEnter  Enter alone does it.
 * @param {(text: string) => Promise<string | null>} options.save  Resolves to why it did not work.
 * @param {() => void} options.close
 */
export function createEditor({ message, action, plainEnter, save, close }) {
  const text = begunEdit(message.id) ?? message.content;
  keep(message.id, text);
  const box = el("textarea", { class: "qc-edit-box", "aria-label": words.editLabel, rows: 1 });
  box.value = text;
  const problem = el("p", { class: "qc-edit-problem", role: "alert", hidden: true });
  const saveButton = el("button", { type: "submit", class: "qc-button qc-primary" }, action);
  const hint = el("span", { class: "qc-hint", text: plainEnter ? "" : words.saveKeys });
  const root = el(
    "form",
    { class: "qc-editor", onSubmit: submit },
    box,
    problem,
    el(
      "div",
      { class: "qc-editor-foot" },
      isTouch() ? null : hint,
      el("button", { type: "button", class: "qc-button", onClick: giveUp }, words.cancel),
      saveButton,
    ),
  );
  sendOnEnter(box, () => root.requestSubmit(), { plain: plainEnter });
  box.addEventListener("input", () => {
    keep(message.id, box.value);
    settle();
  });
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation(); // it would close a drawer too
    giveUp();
  });
  let saving = false;
  settle();

  function settle() {
    saveButton.disabled = saving || !box.value.trim();
    fit(box);
  }

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    if (saving || !box.value.trim()) return;
    saving = true;
    problem.hidden = true;
    settle();
    const why = await save(box.value);
    saving = false;
    if (why === null) {
      keep(message.id, null);
      return close();
    }
    problem.textContent = why;
    problem.hidden = false;
    settle();
  }

  function giveUp() {
    keep(message.id, null);
    close();
  }

  return {
    root,
    focus() {
      fit(box);
      box.focus({ preventScroll: true });
      root.scrollIntoView({ block: "nearest" });
    },
  };
}
