/** The place of an answer before its first word: what happens there, and for how long. */

import { el, setText } from "./dom.js";
import { state } from "./store.js";
import { strings } from "./strings.js";

/** Prompts that are read in a blink are not worth counting down. */
const SHORT_PROMPT = 64;
const SHOW_ELAPSED_AFTER = 3;

/** Tokens a second of the last prompt read here: the first guess for the next one. */
let lastRate = 0;

/**
 * How fast a prompt is read, from the progress frames themselves.
 *
 * @returns {{add: (done: number) => void, left: (total: number) => number | null}}
 */
export function readingClock(now = () => performance.now() / 1000) {
  /** @type {{time: number, done: number} | null} */
  let first = null;
  let last = { time: 0, done: 0 };
  let rate = lastRate;
  return {
    add(done) {
      if (first && done === last.done) return;
      last = { time: now(), done };
      first ??= last;
      const seconds = last.time - first.time;
      if (seconds > 0.2) rate = lastRate = (last.done - first.done) / seconds;
    },
    left(total) {
      if (!first || rate <= 0) return null;
      return Math.max(0, (total - last.done) / rate - (now() - last.time));
    },
  };
}

/** A waiting place; call `update` with every progress and `end` when text arrives. */
export function createWaiting() {
  const text = el("span", { class: "qc-waiting-text" });
  const detail = el("span", { class: "qc-waiting-detail" });
  const bar = el("span");
  const track = el("div", { class: "qc-bar", "aria-hidden": "true" }, bar);
  const root = el("div", { class: "qc-waiting" }, el("div", {}, text, detail), track);
  const begun = performance.now();
  let clock = readingClock();
  /** @type {import("./types.js").Progress | null} */
  let progress = null;

  function draw() {
    const { words, details, share } = describe(progress, clock);
    const elapsed = (performance.now() - begun) / 1000;
    if (!details.length && elapsed > SHOW_ELAPSED_AFTER) {
      details.push(strings.waiting.elapsed(elapsed));
    }
    setText(text, words);
    setText(detail, details.map((part) => ` · ${part}`).join(""));
    track.hidden = share === null;
    bar.style.transform = `scaleX(${share ?? 0})`;
  }

  const timer = setInterval(draw, 1000);
  return {
    root,
    /** @param {import("./types.js").Progress | null} next */
    update(next) {
      if (next?.phase === "prefill" && progress?.phase !== "prefill") clock = readingClock();
      progress = next;
      if (next?.phase === "prefill") clock.add(next.done ?? 0);
      draw();
    },
    end: () => clearInterval(timer),
  };
}

/**
 * @param {import("./types.js").Progress | null} progress
 * @param {ReturnType<typeof readingClock>} clock
 * @returns {{words: string, details: string[], share: number | null}}
 */
function describe(progress, clock) {
  const words = strings.waiting;
  switch (progress?.phase) {
    case "queued":
      return { words: words.queued(progress.position ?? 1), details: [], share: null };
    case "prefill": {
      const { done = 0, total = 0, cached = 0 } = progress;
      if (total - cached < SHORT_PROMPT) {
        return { words: words.readingShort, details: [], share: null };
      }
      const left = clock.left(total);
      const details = cached ? [words.reused(cached)] : [];
      if (left !== null && left >= 1) details.push(words.about(left));
      return { words: words.reading(done, total), details, share: done / total };
    }
    case "decode":
      return { words: words.writing, details: [], share: null };
    case "waiting":
      return waitingForModel();
    default:
      return { words: words.start, details: [], share: null };
  }
}

/** @returns {{words: string, details: string[], share: number | null}} */
function waitingForModel() {
  const engine = state.engine;
  if (engine?.state === "failed") return { words: strings.waiting.failed, details: [], share: null };
  if (engine?.state === "restarting") {
    return { words: strings.waiting.restarting, details: [], share: null };
  }
  if (!engine?.stage) return { words: strings.waiting.modelPlain, details: [], share: null };
  const share = engine.total > 0 ? engine.done / engine.total : null;
  const details = share === null ? [] : [strings.status.percent(share)];
  return { words: strings.waiting.model(engine.stage), details, share };
}
