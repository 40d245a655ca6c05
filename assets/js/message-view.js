/** One message on the page. The text of a person is shown as it is; an answer as Markdown. */

import { createCard } from "./card.js";
import { copyText } from "./markdown/clipboard.js";
import { el, icon, setDirection } from "./dom.js";
import { createRenderer } from "./markdown.js";
import { strings } from "./strings.js";
import { createWaiting } from "./waiting.js";

/** @typedef {import("./types.js").Message} Message */
/** @typedef {ReturnType<typeof createMessageView>} MessageView */

const COPIED_MS = 1500;
/** Lines of a person's message after which it is folded. */
const FOLD_LINES = 24;
const FOLD_CHARACTERS = 3000;
/** Text beyond this is not even laid out while it is folded. */
const HUGE = 100_000;

/**
 * @param {Message} first
 * @param {{regenerate: () => void}} actions
 */
export function createMessageView(first, actions) {
  const view = first.role === "user" ? userView(first) : answerView(first, actions);
  view.root.classList.add("qc-message");
  view.root.setAttribute(
    "aria-label",
    first.role === "user" ? strings.chat.user : strings.chat.assistant,
  );
  const update = (/** @type {Message} */ message, last = false) => {
    view.root.dataset.role = message.role;
    view.root.dataset.state = message.state;
    view.root.dataset.messageId = message.id;
    view.root.classList.toggle("qc-last", last);
    view.update(message);
  };
  return { root: view.root, update, append: view.append, progress: view.progress, end: view.end };
}

/** @param {Message} message */
function userView(message) {
  const body = el("div", { class: "qc-user-text", text: message.content });
  setDirection(body, message.content);
  const root = el(
    "article",
    {},
    el("div", { class: "qc-bubble" }, body, foldButton(message.content, body)),
    el("div", { class: "qc-foot" }, copyButton(() => message.content)),
  );
  const nothing = () => {};
  return { root, update: nothing, append: nothing, progress: nothing, end: nothing };
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

/** @param {Message} first @param {{regenerate: () => void}} actions */
function answerView(first, actions) {
  const body = el("div", { class: "qc-body" });
  const after = el("div", { class: "qc-after" });
  const root = el("article", {}, body, after);
  const renderer = createRenderer(body);
  /** @type {ReturnType<typeof createWaiting> | null} */
  let waiting = null;
  let finished = false;
  let content = "";
  let drawn = "";

  function endWaiting() {
    waiting?.end();
    waiting?.root.remove();
    waiting = null;
  }

  /** @param {Message} message */
  function showContent(message) {
    if (message.content === content) return;
    if (message.content.startsWith(content) && !finished) {
      renderer.append(message.content.slice(content.length));
    } else {
      renderer.set(message.content);
      finished = false;
    }
    content = message.content;
    setDirection(body, content);
  }

  /** @param {Message} message */
  function showProgress(message) {
    if (message.state !== "streaming" || message.content) return endWaiting();
    if (!waiting) {
      waiting = createWaiting();
      body.before(waiting.root);
    }
    waiting.update(message.progress);
  }

  /** @param {Message} message */
  function update(message) {
    showContent(message);
    showProgress(message);
    if (message.state === "streaming") {
      if (drawn) after.replaceChildren();
      drawn = "";
      return;
    }
    if (!finished) renderer.finish();
    finished = true;
    const key = JSON.stringify([message.state, message.error, message.usage, message.timings]);
    if (key !== drawn) after.replaceChildren(...endOf(message, actions));
    drawn = key;
  }

  return {
    root,
    update,
    /** @param {Message} message @param {string} text */
    append(message, text) {
      if (!content) endWaiting();
      if (content.length < 200) setDirection(body, message.content);
      renderer.append(text);
      content = message.content;
    },
    progress: showProgress,
    end: endWaiting,
  };
}

/** What stands below an answer that has ended. @param {Message} message @param {any} actions */
function endOf(message, actions) {
  const parts = [];
  const broken = message.state === "failed" || message.state === "interrupted";
  if (message.state === "stopped") parts.push(note(strings.chat.stopped));
  if (message.state === "done" && message.finish_reason === "length") {
    parts.push(note(strings.chat.lengthReached));
  }
  if (message.state === "done" && !message.content) parts.push(note(strings.chat.nothing));
  if (broken) parts.push(brokenCard(message, actions));
  const buttons = [];
  if (message.content) buttons.push(copyButton(() => message.content));
  if (!broken) buttons.push(regenerateButton(actions));
  parts.push(el("div", { class: "qc-foot" }, ...buttons, details(message)));
  return parts;
}

/** @param {string} text */
const note = (text) => el("p", { class: "qc-note", text });

/** @param {Message} message @param {{regenerate: () => void}} actions */
function brokenCard(message, actions) {
  const failed = message.state === "failed";
  const failedTitle = message.content ? strings.chat.brokenOffTitle : strings.chat.failedTitle;
  return createCard({
    title: failed ? failedTitle : strings.chat.interruptedTitle,
    why:
      message.error?.message ?? (failed ? strings.chat.failedWhy : strings.chat.interruptedWhy),
    code: message.error?.code ?? message.state,
    action: message.content ? strings.chat.regenerate : strings.chat.tryAgain,
    onAction: actions.regenerate,
  });
}

/** @param {{regenerate: () => void}} actions */
function regenerateButton(actions) {
  const button = el(
    "button",
    {
      type: "button",
      class: "qc-action regenerate",
      "aria-label": strings.chat.regenerate,
      title: strings.chat.regenerate,
      onClick: actions.regenerate,
    },
    icon("regenerate"),
  );
  return button;
}

/** @param {() => string} text */
function copyButton(text) {
  const button = el(
    "button",
    { type: "button", class: "qc-action copy", "aria-label": strings.chat.copy, title: strings.chat.copy },
    icon("copy"),
  );
  button.addEventListener("click", async () => {
    if (!(await copyText(text()))) return;
    button.replaceChildren(icon("check"));
    button.setAttribute("aria-label", strings.chat.copied);
    setTimeout(() => {
      button.replaceChildren(icon("copy"));
      button.setAttribute("aria-label", strings.chat.copy);
    }, COPIED_MS);
  });
  return button;
}

/** @param {Message} message */
function details({ usage, timings }) {
  const words = strings.details;
  const parts = [];
  if (usage) parts.push(words.tokens(usage.completion_tokens));
  if (timings?.tokens_per_second) parts.push(words.rate(timings.tokens_per_second));
  if (timings && usage?.completion_tokens) {
    parts.push(words.first(timings.time_to_first_token_seconds));
  }
  if (usage?.cached_tokens) parts.push(words.reused(usage.cached_tokens, usage.prompt_tokens));
  else if (usage) parts.push(words.prompt(usage.prompt_tokens));
  if (!parts.length) return null;
  return el("span", { class: "qc-details", text: parts.join(" · ") });
}
