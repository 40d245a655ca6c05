/** The message box. What is typed there is never lost: not by a reload, nor a failed send. */

import * as actions from "./actions.js";
import { el, icon, isTouch } from "./dom.js";
import {
  asAttachments,
  giveFilesBack,
  hasFiles,
  isReading,
  showFilesOf,
  startAttached,
  takeFiles,
} from "./files/attached.js";
import { fileChips, startChips } from "./files/chips.js";
import { addPasted, attachButton } from "./files/dropping.js";
import { onDraftElsewhere, recallDraft, rememberDraft } from "./drafts.js";
import { remeasure, startMeasuring } from "./measure.js";
import { meter, startMeter } from "./meter.js";
import { isTooLong, overflowChoice, overflowRow, startOverflow } from "./overflow.js";
import { isRunning } from "./running.js";
import { TEMPORARY, draftOwner, on, state } from "./store.js";
import { strings } from "./strings.js";
import { fit, sendOnEnter } from "./text-box.js";
import { thinkingButton } from "./thinking-switch.js";

const DRAFT_MS = 200;
const TOO_LONG = "context_length_exceeded";

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
  overflowRow,
  el(
    "div",
    { class: "qc-composer-box" },
    fileChips,
    box,
    el("div", { class: "qc-composer-foot" }, thinkingButton, hint, attachButton, meter, sendButton, stopButton),
  ),
);

/** Whose draft is in the box. @type {string | null} */
let owner = null;
/** Whether the box was changed here: only then is it this tab that knows the draft. */
let changed = false;
let sending = false;
/**
 * What was sent last, until its answer is under way.
 *
 * @type {{id: string | null, content: string, files: import("./files/attached.js").Item[]} | null}
 */
let sent = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let draftTimer;

export function startComposer() {
  sendOnEnter(box, () => composer.requestSubmit());
  box.addEventListener("input", () => {
    changed = true;
    clearTimeout(draftTimer);
    draftTimer = setTimeout(saveDraft, DRAFT_MS);
    settle();
    remeasure();
  });
  addEventListener("pagehide", saveDraft);
  onDraftElsewhere(
    () => owner,
    () => !changed && setText(recallDraft(owner)),
  );
  on("open", takeOver);
  on(["conversation", "message"], takeBackTooLong);
  on(["conversation", "conversations", "message", "pending", "measured"], settle);
  on("problem", showProblem);
  on("summarized", moveDraft);
  startMeasuring(() => box.value);
  startMeter();
  startOverflow();
  startAttached();
  startChips();
  addPasted(box, replaceText);
  on("files", settle);
  owner = draftOwner();
  showFilesOf(owner);
  setText(recallDraft(owner));
  if (!isTouch()) box.focus();
}

/** @param {Event} event */
async function submit(event) {
  event.preventDefault();
  const content = box.value;
  if (!hasSomething() || sending || isTooLong()) return;
  if (isReading()) return showHint(strings.files.busy);
  if (isRunning()) return showHint(strings.composer.running);
  const overflow = overflowChoice();
  sending = true;
  showProblem("");
  replaceText("");
  const files = takeFiles();
  const { error, id } = await actions.send(content, overflow, asAttachments(files));
  sending = false;
  if (error) giveBack(content, files, error.message, id);
  else sent = { id, content, files };
  takeBackTooLong();
  settle();
}

/**
 * A message that was not sent returns to the box, before what was typed since, or waits
 * in the draft of its conversation when another one is open by now.
 *
 * @param {string} content
 * @param {import("./files/attached.js").Item[]} files
 * @param {string} why
 * @param {string | null} id
 */
function giveBack(content, files, why, id) {
  giveFilesBack(files, id);
  if (state.openId !== id) {
    rememberDraft(id, [content, recallDraft(id)].filter(Boolean).join("\n"));
    return;
  }
  replaceText([content, box.value].filter(Boolean).join("\n"));
  showProblem(why);
}

/** The model could not read it, which the server learns only when the model is ready. */
function takeBackTooLong() {
  const [question, answer] = state.conversation?.messages.slice(-2) ?? [];
  if (!sent || sent.id !== state.openId || question?.content !== sent.content) return;
  if (answer?.state === "streaming" && !answer.content) return;
  const refused = answer?.error?.code === TOO_LONG && !answer.content;
  const { content, files } = sent;
  sent = null;
  if (refused) giveBack(content, files, answer.error?.message ?? "", state.openId);
}

async function stop() {
  stopButton.disabled = true;
  await actions.stop();
  stopButton.disabled = false;
  if (!isTouch()) box.focus({ preventScroll: true });
}

/** Another conversation: its draft comes in, the other's is kept. */
function takeOver() {
  const next = draftOwner();
  const wasNew = owner === null || owner === TEMPORARY;
  const becameConversation = wasNew && sending && state.pending?.id === state.openId;
  if (becameConversation) {
    rememberDraft(owner, ""); // what was typed since moves along with it
    owner = next;
    saveDraft();
    showFilesOf(owner, true);
  } else if (owner !== next) {
    saveDraft();
    owner = next;
    changed = false;
    setText(recallDraft(owner));
    showFilesOf(owner);
  }
  showProblem("");
  settle();
  if (!isTouch()) box.focus({ preventScroll: true });
}

/** The text goes on in the chat that begins with a summary. @param {{from: string, to: string}} way */
function moveDraft({ from, to }) {
  if (owner !== from) return;
  rememberDraft(to, box.value);
  replaceText("");
  giveFilesBack(takeFiles(), to);
}

function saveDraft() {
  clearTimeout(draftTimer);
  if (changed) rememberDraft(owner, box.value);
}

/** Put another text in as a change of this tab. @param {string} text */
function replaceText(text) {
  changed = true;
  setText(text);
  saveDraft();
}

/** @param {string} text */
function setText(text) {
  box.value = text;
  fit(box);
  settle();
  remeasure();
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

/** Whether there is anything to send. */
const hasSomething = () => box.value.trim() !== "" || hasFiles();

/** Buttons and height after any change. */
function settle() {
  const running = isRunning();
  stopButton.hidden = !running;
  sendButton.hidden = running;
  sendButton.disabled = !hasSomething() || isReading() || sending || isTooLong();
  if (!running) showHint("");
  fit(box);
}
