/** Asking the server what the next turn would take of the context. */

import { api } from "./api.js";
import { fileChoices, hasFiles } from "./files/attached.js";
import * as settings from "./settings.js";
import { emit, on, state } from "./store.js";

/** After the last change. */
const WAIT_MS = 250;

/** @typedef {import("./types.js").Measurement} Measurement */

/** The last answer; null while there is none for this conversation. @type {Measurement | null} */
let measurement = null;
/** Counts what can change the answer. */
let revision = 0;
let measured = -1;
let inFlight = false;
let measuredFiles = "[]";
let ready = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** @type {() => string} */
let textOf = () => "";

/** What the last measured turn takes. */
export const lastMeasurement = () => measurement;

/** Whether that is the turn that would be sent now. */
export const isMeasured = () => measurement !== null && measured === revision;

/** Whether anything is written: an empty turn is not sent, so it need not fit. */
export const hasText = () => textOf().trim() !== "" || hasFiles();

/** @param {() => string} text  What the message box holds. */
export function startMeasuring(text) {
  textOf = text;
  on(["conversation", "settings"], remeasure);
  on("files", filesChanged);
  on("message", ({ message }) => message.state !== "streaming" && remeasure());
  on("open", () => {
    take(null);
    remeasure();
  });
  on("engine", () => {
    if (ready === (state.engine?.state === "ready")) return;
    ready = !ready;
    if (ready) remeasure();
    else take(null);
  });
  document.addEventListener("visibilitychange", () => measured !== revision && schedule());
  schedule();
}

/** Something changed that the answer depends on. */
export function remeasure() {
  revision += 1;
  schedule();
}

/** How much of a file is sent changes often and counts for nothing. */
function filesChanged() {
  const now = JSON.stringify(fileChoices());
  if (now === measuredFiles) return;
  measuredFiles = now;
  remeasure();
}

function schedule() {
  clearTimeout(timer);
  timer = setTimeout(ask, WAIT_MS);
}

async function ask() {
  timer = undefined;
  const known = state.openId === null || state.conversation !== null;
  // What is not asked now is when the tab is seen, the model ready, the conversation there.
  if (document.hidden || inFlight || !ready || !known) return;
  const asked = revision;
  inFlight = true;
  /** @type {Measurement | null} */
  let answer = null;
  try {
    answer = await api.measure(nextTurn());
  } catch {
    // The meter shows a dash; sending says what is wrong.
  }
  inFlight = false;
  if (asked === revision) {
    measured = asked;
    take(answer);
  } else if (timer === undefined) ask();
}

/** The turn that would be sent now, as the server measures it. */
export function nextTurn() {
  const content = textOf();
  const { persona: _, thinking_budget: __, ...settingsNow } = settings.draft();
  const id = state.openId;
  const files = fileChoices();
  return id === null
    ? { content, files, ...settingsNow }
    : { conversation_id: id, content, files, ...settingsNow };
}

/** @param {Measurement | null} answer */
function take(answer) {
  if (answer === null && measurement === null) return;
  measurement = answer && ready ? answer : null;
  emit("measured");
}
