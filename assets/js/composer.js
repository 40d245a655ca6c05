/** The message box. What is typed there is never lost: not by a reload, nor a failed send. */

import * as actions from "./actions.js";
import { el, icon, isComposing, isTouch, setDirection } from "./dom.js";
import { on, runningMessage, state } from "./store.js";
import { recall, remember } from "./storage.js";
import { strings } from "./strings.js";

const DRAFT_MS = 200;
/** Safari ends a composition just before the Enter that ended it arrives. */
const AFTER_COMPOSITION_MS = 5;
const growsByItself = CSS.supports("field-sizing", "content");

const problemText = el("span");
const problem = el(
  "div",
  { class: "qc-problem", role: "alert", hidden: true },
  icon("warning"),
  problemText,
  el("button", { type: "button", class: "qc-button", onClick: () => showProblem("") },
    strings.composer.dismiss),
);
const box = el("textarea", {
  id: "message-box",
  rows: 1,
  placeholder: strings.composer.placeholder,
  "aria-label": strings.composer.label,
  "aria-describedby": "composer-hint",
  enterkeyhint: isTouch() ? "enter" : "send",
  autocomplete: "off",
});
const hint = el("span", { id: "composer-hint", class: "qc-hint", "aria-live": "polite" });
const sendButton = el(
  "button",
  { type: "submit", id: "send", "aria-label": strings.composer.send, title: strings.composer.send },
  icon("send"),
);
const stopButton = el(
  "button",
  { type: "button", id: "stop", "aria-label": strings.composer.stop, title: strings.composer.stop,
    hidden: true, onClick: stop },
  el("span", { class: "qc-stop-mark", "aria-hidden": "true" }),
);

export const composer = el(
  "form",
  { class: "qc-composer", onSubmit: submit },
  problem,
  el(
    "div",
    { class: "qc-composer-box" },
    box,
    el("div", { class: "qc-composer-foot" }, hint, sendButton, stopButton),
  ),
);

/** Whose draft is in the box; null is the new chat. @type {string | null} */
let owner = null;
let sending = false;
let compositionEnd = -Infinity;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let draftTimer;

const draftKey = (/** @type {string | null} */ id) => `draft.${id ?? "new"}`;

export function startComposer() {
  box.addEventListener("keydown", onKey);
  box.addEventListener("compositionend", (event) => (compositionEnd = event.timeStamp));
  box.addEventListener("input", () => {
    clearTimeout(draftTimer);
    draftTimer = setTimeout(saveDraft, DRAFT_MS);
    settle();
  });
  addEventListener("pagehide", saveDraft);
  on("open", takeOver);
  on(["conversation", "message", "pending"], settle);
  on("problem", showProblem);
  owner = state.openId;
  setText(recall(draftKey(owner)) ?? "");
  if (!isTouch()) box.focus();
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (event.key !== "Enter" || event.shiftKey || event.altKey) return;
  if (isComposing(event) || event.timeStamp - compositionEnd < AFTER_COMPOSITION_MS) return;
  if (isTouch() && !event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  composer.requestSubmit();
}

/** @param {Event} event */
async function submit(event) {
  event.preventDefault();
  const content = box.value;
  if (!content.trim() || sending) return;
  if (runningMessage()) return showHint(strings.composer.running);
  sending = true;
  showProblem("");
  setText("");
  saveDraft();
  const failure = await actions.send(content);
  sending = false;
  if (failure) giveBack(content, failure);
  settle();
}

/**
 * A message that was not sent returns to the box, before what was typed since, or waits
 * in the draft of its conversation when another one is open by now.
 *
 * @param {string} content
 * @param {{error: Error, id: string | null}} failure
 */
function giveBack(content, { error, id }) {
  if (state.openId !== id) {
    remember(draftKey(id), [content, recall(draftKey(id))].filter(Boolean).join("\n"));
    return;
  }
  setText([content, box.value].filter(Boolean).join("\n"));
  saveDraft();
  showProblem(error.message);
}

async function stop() {
  stopButton.disabled = true;
  await actions.stop();
  stopButton.disabled = false;
  if (!isTouch()) box.focus({ preventScroll: true });
}

/** Another conversation: its draft comes in, the other's is kept. */
function takeOver() {
  const becameConversation = owner === null && sending && state.pending?.id === state.openId;
  if (becameConversation) {
    remember(draftKey(null), null); // what was typed since moves along with it
    owner = state.openId;
    saveDraft();
  } else if (owner !== state.openId) {
    saveDraft();
    owner = state.openId;
    setText(recall(draftKey(owner)) ?? "");
  }
  showProblem("");
  settle();
  if (!isTouch()) box.focus({ preventScroll: true });
}

function saveDraft() {
  clearTimeout(draftTimer);
  remember(draftKey(owner), box.value);
}

/** @param {string} text */
function setText(text) {
  box.value = text;
  settle();
}

/** @param {string} text */
function showProblem(text) {
  problemText.textContent = text;
  problem.hidden = !text;
}

/** @param {string} text */
function showHint(text) {
  if (hint.textContent !== text) hint.textContent = text;
}

/** Buttons and height after any change. */
function settle() {
  const running = runningMessage() !== null;
  stopButton.hidden = !running;
  sendButton.hidden = running;
  sendButton.disabled = !box.value.trim() || sending;
  if (!running) showHint("");
  setDirection(box, box.value);
  if (growsByItself) return;
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}
