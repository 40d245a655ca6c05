/** What stands below an answer that has ended: why it did, what can be done, its figures. */

import * as actions from "./message-actions.js";
import { createCard } from "./card.js";
import { detailsButton } from "./answer-details.js";
import { el } from "./dom.js";
import { copyButton, createVersions, editButton, moreButton, regenerateButton } from "./message-foot.js";
import { emit } from "./store.js";
import { strings } from "./strings.js";

/** @typedef {import("./types.js").Message} Message */

const TOO_LONG = "context_length_exceeded";

/**
 * @param {() => Message} get
 * @param {{last: boolean, edit: () => void}} options
 * @returns {HTMLElement[]}
 */
export function endOf(get, { last, edit }) {
  const message = get();
  const versions = createVersions(get);
  versions.update();
  const parts = [];
  const broken = message.state === "failed" || message.state === "interrupted";
  if (broken) parts.push(brokenCard(get, last));
  else if (noteOf(message)) parts.push(noteRow(get, last));
  parts.push(
    el(
      "div",
      { class: "qc-foot" },
      message.content && copyButton(() => get().content),
      !broken && regenerateButton(get),
      message.content && editButton(edit),
      versions.root,
      moreButton(get),
      details(message),
    ),
  );
  return parts;
}

/** @param {Message} message */
function noteOf(message) {
  if (message.context_full) return strings.chat.contextFull;
  if (message.state === "stopped") return strings.chat.stopped;
  if (message.state !== "done") return "";
  if (!message.content && message.thoughts && message.finish_reason === "length") {
    return strings.thinking.unfinished;
  }
  if (!message.content) return strings.chat.nothing;
  return message.finish_reason === "length" ? strings.chat.lengthReached : "";
}

/** Why an answer ends where it does, and the way on. @param {() => Message} get @param {boolean} last */
function noteRow(get, last) {
  const message = get();
  const goesOn = message.state === "stopped" || message.finish_reason === "length";
  /** @type {HTMLElement | null} */
  let way = null;
  if (last && message.context_full) {
    way = smallButton(strings.overflow.summarize, actions.summarize);
  } else if (last && goesOn && (message.content || message.thoughts)) {
    way = smallButton(strings.chat.continue, () => actions.continueAnswer(get()));
  }
  return el("div", { class: "qc-note-row" }, el("p", { class: "qc-note", text: noteOf(message) }), way);
}

/** @param {string} label @param {() => void} run */
const smallButton = (label, run) =>
  el("button", { type: "button", class: "qc-button qc-when-idle", onClick: run }, label);

/** @param {() => Message} get @param {boolean} last */
function brokenCard(get, last) {
  const message = get();
  const failed = message.state === "failed";
  const failedTitle = message.content ? strings.chat.brokenOffTitle : strings.chat.failedTitle;
  const regenerate = () => void actions.regenerate(get());
  const goOn = { label: strings.chat.continue, run: () => void actions.continueAnswer(get()) };
  const again = {
    label: message.content ? strings.chat.regenerate : strings.chat.tryAgain,
    run: regenerate,
  };
  const change = { label: strings.message.editMessage, run: () => emit("edit", message.parent_id) };
  let ways = (message.content || message.thoughts) && last ? [goOn, again] : [again];
  if (message.error?.code === TOO_LONG && !message.content) ways = [change];
  return createCard({
    title: failed ? failedTitle : strings.chat.interruptedTitle,
    why:
      message.error?.message ?? (failed ? strings.chat.failedWhy : strings.chat.interruptedWhy),
    code: message.error?.code ?? message.state,
    action: ways[0].label,
    onAction: ways[0].run,
    second: ways[1],
  });
}

/** @param {Message} message */
function details(message) {
  const { usage, timings, edited } = message;
  const words = strings.details;
  const parts = [];
  if (edited) parts.push(words.edited);
  if (usage) parts.push(words.tokens(usage.completion_tokens));
  if (timings?.tokens_per_second) parts.push(words.rate(timings.tokens_per_second));
  if (timings && usage?.completion_tokens) {
    parts.push(words.first(timings.time_to_first_token_seconds));
  }
  if (usage?.cached_tokens) parts.push(words.reused(usage.cached_tokens, usage.prompt_tokens));
  else if (usage) parts.push(words.prompt(usage.prompt_tokens));
  if (!parts.length) return null;
  return detailsButton(message, parts.join(" · "));
}
