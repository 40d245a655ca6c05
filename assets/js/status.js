/** The line that always tells the truth about the model and the connection. */

import * as actions from "./actions.js";
import { el, setText } from "./dom.js";
import { isRunning } from "./running.js";
import { on, runningMessage, state } from "./store.js";
import { strings } from "./strings.js";

const words = strings.status;

/**
 * `word` is announced when it changes; `figure` changes many times a second and is not.
 *
 * @typedef {{kind: "ready"|"working"|"warning"|"failed"|"lost", word: string, figure?: string,
 *   reason?: string, restart?: boolean}} Status
 */

const word = el("span", { class: "qc-status-word" });
const reason = el("span", { class: "qc-status-reason" });
const figure = el("span", { class: "qc-status-figure qc-number", "aria-hidden": "true" });
const restart = el("button", { type: "button", class: "qc-button", onClick: actions.restartEngine },
  words.restart);

export const statusLine = el(
  "div",
  { id: "status", role: "status", "aria-live": "polite", "data-state": "lost" },
  el("span", { class: "qc-dot", "aria-hidden": "true" }),
  word,
  reason,
  figure,
);

export function startStatus() {
  on(["connection", "engine", "open", "conversation", "conversations", "message"], draw);
  on("progress", ({ message }) => {
    const samePhase = message.progress?.phase === phase;
    if (!samePhase || performance.now() - drawnAt > PROGRESS_MS) draw();
  });
  setInterval(() => state.engine?.state === "restarting" && draw(), 1000); // the countdown
  draw();
}

/** A speed that flickers cannot be read. */
const PROGRESS_MS = 500;
let drawnAt = 0;
let phase = "";

let retryAt = 0;
let retryFor = "";

function draw() {
  drawnAt = performance.now();
  phase = runningMessage()?.progress?.phase ?? "";
  const now = describe();
  statusLine.dataset.state = now.kind;
  setText(word, now.word);
  setText(reason, now.reason ? ` · ${now.reason}` : "");
  setText(figure, now.figure ? ` · ${now.figure}` : "");
  statusLine.title = [now.word, now.reason].filter(Boolean).join(": ");
  if (now.restart) statusLine.append(restart);
  else restart.remove();
}

/** @returns {Status} */
function describe() {
  const engine = state.engine;
  if (state.connection === "lost") return { kind: "lost", word: words.lost };
  if (!engine) return { kind: "working", word: words.connecting };
  const message = engine.error?.message ?? "";
  switch (engine.state) {
    case "failed":
      return { kind: "failed", word: words.failed, reason: message, restart: true };
    case "restarting":
      return { kind: "warning", word: words.restarting, reason: message, figure: countdown(engine) };
    case "ready":
      return ofAnswer(runningMessage());
    default: {
      const share = engine.total > 0 ? words.percent(engine.done / engine.total) : "";
      const loading = engine.state === "loading";
      return {
        kind: "working",
        word: loading ? words.loading : words.starting,
        reason: engine.stage,
        figure: share,
      };
    }
  }
}

/** @param {import("./types.js").Engine} engine */
function countdown(engine) {
  if (engine.retry_in_seconds === null) return "";
  const key = JSON.stringify([engine.error, engine.retry_in_seconds]);
  if (key !== retryFor) {
    retryFor = key;
    retryAt = Date.now() + 1000 * engine.retry_in_seconds;
  }
  const seconds = (retryAt - Date.now()) / 1000;
  return seconds > 0.5 ? words.restartingIn(seconds) : "";
}

/** @param {import("./types.js").Message | null} message @returns {Status} */
function ofAnswer(message) {
  const progress = message?.progress;
  if (!message && isRunning()) return { kind: "working", word: words.generating };
  if (!message) return { kind: "ready", word: words.ready };
  switch (progress?.phase) {
    case "queued":
      return { kind: "working", word: words.queued, figure: words.ahead(progress.position ?? 1) };
    case "prefill": {
      const share = progress.total ? words.percent((progress.done ?? 0) / progress.total) : "";
      return { kind: "working", word: words.reading, figure: share };
    }
    case "decode": {
      const rate = progress.tokens_per_second;
      return { kind: "working", word: words.generating, figure: rate ? words.rate(rate) : "" };
    }
    default:
      return { kind: "working", word: message.content ? words.generating : words.waiting };
  }
}
