/**
 * What the model thought, above its answer: one line that opens. While it thinks, the last of
 * its thoughts run below that line, in a window of their own that never changes its height.
 */

import { el, icon, setDirection, setText } from "./dom.js";
import { strings } from "./strings.js";

/** @typedef {import("./types.js").Message} Message */

/** Of the thoughts, what fills the window more than once. */
const WINDOW_CHARACTERS = 600;
const words = strings.thinking;

export function createThoughts() {
  const label = el("span");
  const head = el(
    "button",
    { type: "button", class: "qc-thoughts-head", "aria-expanded": "false", onClick: () => open(!isOpen) },
    icon("chevron"),
    label,
  );
  const body = el("div", { class: "qc-thoughts-body", hidden: true });
  const last = el("div", { class: "qc-thoughts-last" });
  const windowed = el("div", { class: "qc-thoughts-window", "aria-hidden": "true", hidden: true }, last);
  const root = el("section", { class: "qc-thoughts", "aria-label": words.untimed }, head, windowed, body);
  const text = document.createTextNode("");
  body.append(text);
  let isOpen = false;
  let thoughts = "";
  let live = false;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  /** By our clock: when the thinking would have begun, had it been without a break. */
  let begun = 0;
  /** @type {number | null} */
  let seconds = null;

  /** @param {boolean} wanted */
  function open(wanted) {
    isOpen = wanted;
    head.setAttribute("aria-expanded", String(isOpen));
    show();
  }

  /** Only what is seen is kept up to date: thoughts can be long, and mostly nobody reads them. */
  function show() {
    body.hidden = !isOpen;
    windowed.hidden = isOpen || !live;
    if (isOpen && text.data !== thoughts) {
      if (thoughts.startsWith(text.data)) text.appendData(thoughts.slice(text.length));
      else text.data = thoughts;
      setDirection(body, thoughts);
    }
    if (!windowed.hidden) setText(last, thoughts.slice(-WINDOW_CHARACTERS));
  }

  function showLabel() {
    if (live) setText(label, words.live((performance.now() - begun) / 1000));
    else setText(label, seconds === null ? words.untimed : words.done(seconds));
  }

  /** @param {boolean} wanted */
  function run(wanted) {
    if (live === wanted) return;
    live = wanted;
    root.classList.toggle("qc-live", live);
    clearInterval(timer);
    if (!live) return;
    begun = performance.now() - 1000 * (seconds ?? 0);
    timer = setInterval(showLabel, 1000);
  }

  return {
    root,
    /** @param {Message} message */
    update(message) {
      thoughts = message.thoughts;
      seconds = message.thinking_seconds;
      run(message.state === "streaming" && !message.content && message.progress?.phase === "decode");
      showLabel();
      show();
    },
    /** @param {string} all  The thoughts by now. */
    grow(all) {
      thoughts = all;
      run(true);
      showLabel();
      show();
    },
    /** The answer begins. @returns {boolean} whether something below the line goes */
    close() {
      if (!live) return false;
      seconds = (performance.now() - begun) / 1000;
      const wasSeen = !windowed.hidden;
      run(false);
      showLabel();
      show();
      return wasSeen;
    },
    end: () => clearInterval(timer),
  };
}
