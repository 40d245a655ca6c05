/** What a person wrote, shown as it is, with another text in its place on request. */

import { sendInstead } from "./message-actions.js";
import { begunEdit, createEditor } from "./message-editor.js";
import { copyButton, createVersions, editButton, moreButton } from "./message-foot.js";
import { el, setDirection } from "./dom.js";
import { sentFiles } from "./files/sent.js";
import { strings } from "./strings.js";

/** @typedef {import("./types.js").Message} Message */

/** Lines of a person's message after which it is folded. */
const FOLD_LINES = 24;
const FOLD_CHARACTERS = 3000;
/** Text beyond this is not even laid out while it is folded. */
const HUGE = 100_000;

/** @param {Message} first */
export function userView(first) {
  let message = first;
  const get = () => message;
  const body = el("div", { class: "qc-user-text", text: first.content });
  setDirection(body, first.content);
  const files = sentFiles(first.attachments);
  // A message may be files alone.
  const words = first.content.trim() || !files ? [body, foldButton(first.content, body)] : [];
  const bubble = el("div", { class: "qc-bubble", hidden: !words.length }, ...words);
  const versions = createVersions(get);
  const foot = el(
    "div",
    { class: "qc-foot" },
    versions.root,
    editButton(() => edit()),
    copyButton(() => message.content),
    moreButton(get),
  );
  const root = el("article", {}, files, bubble, foot);
  const nothing = () => {};
  /** @type {ReturnType<typeof createEditor> | null} */
  let editor = null;
  let isNew = true;

  const edit = () => openEditor(true);

  /** @param {boolean} focus  Not for one that was begun before the message came here again. */
  function openEditor(focus) {
    editor ??= createEditor({
      message,
      action: strings.composer.send,
      plainEnter: true,
      save: (text) => sendInstead(message, text),
      close: leave,
    });
    bubble.hidden = foot.hidden = true;
    root.append(editor.root);
    if (focus) editor.focus();
  }

  function leave() {
    const focused = editor?.root.contains(document.activeElement);
    editor?.root.remove();
    editor = null;
    bubble.hidden = !words.length;
    foot.hidden = false;
    const button = root.querySelector(".qc-action.edit");
    if (focused) /** @type {HTMLElement} */ (button ?? root).focus({ preventScroll: true });
  }

  return {
    root,
    /** @param {Message} next */
    update(next) {
      message = next;
      versions.update();
      if (isNew && begunEdit(message.id) !== null) openEditor(false);
      isNew = false;
    },
    append: nothing,
    progress: nothing,
    end: nothing,
    edit,
  };
}

/** @param {string} text @param {HTMLElement} body */
function foldButton(text, body) {
  if (text.length < FOLD_CHARACTERS && text.split("\n", FOLD_LINES + 1).length <= FOLD_LINES) {
    return null;
  }
  const folded = text.length > HUGE ? text.slice(0, FOLD_CHARACTERS) : text;
  body.classList.add("qc-folded");
  body.textContent = folded;
  const button = el("button", { type: "button", class: "qc-fold", "aria-expanded": "false" });
  button.textContent = strings.chat.showAll;
  button.addEventListener("click", () => {
    const isFolded = body.classList.toggle("qc-folded");
    if (folded !== text) body.textContent = isFolded ? folded : text;
    button.setAttribute("aria-expanded", String(!isFolded));
    button.textContent = isFolded ? strings.chat.showAll : strings.chat.showLess;
  });
  return button;
}
