/** What the model wrote: it grows, ends, and may go on growing later. */

import { endOf } from "./answer-end.js";
import { saveAnswer } from "./message-actions.js";
import { begunEdit, createEditor } from "./message-editor.js";
import { el, setDirection } from "./dom.js";
import { createRenderer } from "./markdown.js";
import { strings } from "./strings.js";
import { createThoughts } from "./thoughts.js";
import { createWaiting } from "./waiting.js";

/** @typedef {import("./types.js").Message} Message */

export function answerView(/** @type {Message} */ first) {
  const body = el("div", { class: "qc-body" });
  const after = el("div", { class: "qc-after" });
  const root = el("article", {}, body, after);
  const renderer = createRenderer(body, { labels: strings.codeBlock });
  /** @type {ReturnType<typeof createWaiting> | null} */
  let waiting = null;
  /** @type {ReturnType<typeof createThoughts> | null} */
  let thoughts = null;
  /** @type {ReturnType<typeof createEditor> | null} */
  let editor = null;
  let message = first;
  let isNew = true;
  let finished = false;
  let content = "";
  let drawn = "";

  function endWaiting() {
    waiting?.end();
    waiting?.root.remove();
    waiting = null;
  }

  function showThoughts() {
    if (!message.thoughts) {
      thoughts?.end();
      thoughts?.root.remove();
      thoughts = null;
    } else {
      if (!thoughts) body.before((thoughts = createThoughts()).root);
      thoughts.update(message);
    }
  }

  /** The answer takes the place of what was seen of the thoughts, and nothing moves. */
  function endThoughts() {
    const height = root.offsetHeight;
    if (thoughts?.close()) root.style.minHeight = `${height}px`;
  }

  function showContent() {
    if (message.content === content) return;
    if (message.content.startsWith(content) && content) {
      renderer.append(message.content.slice(content.length));
    } else {
      renderer.set(message.content);
    }
    finished = false;
    content = message.content;
    setDirection(body, content);
  }

  /** Until the first word; also of the words that are added to an earlier answer. */
  function showProgress() {
    const writes = message.progress?.phase === "decode" && (message.content || message.thoughts);
    if (message.state !== "streaming" || writes) return endWaiting();
    if (!waiting) {
      waiting = createWaiting();
      body.after(waiting.root);
    }
    waiting.update(message.progress);
  }

  /** @param {boolean} last  No message is below it. */
  function showEnd(last) {
    const { state, error, usage, timings, versions, edited, context_full: full } = message;
    const key = JSON.stringify([state, error, usage, timings, versions, edited, full, last]);
    if (key === drawn) return;
    drawn = key;
    after.replaceChildren(...endOf(() => message, { last, edit }));
  }

  const edit = () => openEditor(true);

  /** @param {boolean} focus  Not for one that was begun before the message came here again. */
  function openEditor(focus) {
    if (message.state === "streaming") return;
    editor ??= createEditor({
      message,
      action: strings.message.save,
      plainEnter: false,
      save: (text) => saveAnswer(message, text),
      close: leave,
    });
    body.hidden = after.hidden = true;
    root.append(editor.root);
    if (focus) editor.focus();
  }

  function leave() {
    const focused = editor?.root.contains(document.activeElement);
    editor?.root.remove();
    editor = null;
    body.hidden = after.hidden = false;
    const button = root.querySelector(".qc-action.edit");
    if (focused) /** @type {HTMLElement} */ (button ?? root).focus({ preventScroll: true });
  }

  return {
    root,
    /** @param {Message} next @param {boolean} last */
    update(next, last) {
      message = next;
      showThoughts();
      showContent();
      showProgress();
      if (message.state !== "streaming") root.style.minHeight = "";
      if (message.state === "streaming") {
        finished = false;
        if (drawn) after.replaceChildren();
        drawn = "";
      } else {
        if (!finished) renderer.finish();
        finished = true;
        showEnd(last);
      }
      if (isNew && begunEdit(message.id) !== null) openEditor(false);
      isNew = false;
    },
    /** @param {Message} next @param {string} text */
    append(next, text) {
      message = next;
      if (waiting) endWaiting();
      if (!content) endThoughts();
      if (content.length < 200) setDirection(body, message.content);
      renderer.append(text);
      content = message.content;
    },
    /** @param {Message} next */
    think(next) {
      message = next;
      if (waiting) endWaiting();
      if (!thoughts) showThoughts();
      thoughts?.grow(message.thoughts);
    },
    /** @param {Message} next */
    progress(next) {
      message = next;
      showProgress();
    },
    end() {
      endWaiting();
      thoughts?.end();
    },
    edit,
  };
}
