/** Short news at the bottom, each with at most one thing to do about it: "Deleted. Undo". */

import { el } from "./dom.js";

const SECONDS = 10;
/** Time left after the pointer or the focus has gone, at least. */
const AFTER_HOLD = 3;
/** What can be undone can be for a minute; one that waited behind others goes before that. */
const LAST_SECOND = 50;
const TICK_MS = 250;
const GAP = 12;

/**
 * @typedef {{root: HTMLElement, left: number, born: number}} Shown  `left` in seconds
 */

/** @type {Shown[]} */
const shown = [];
/** @type {ReturnType<typeof setInterval> | undefined} */
let ticking;
/** What had the focus before it came here. @type {HTMLElement | null} */
let before = null;

/** The newest three can be seen (toast.css); those behind them wait for their turn. */
const VISIBLE = 3;

/** Mounted once, over everything else. */
export const toasts = el("div", {
  class: "qc-toasts",
  role: "status",
  "aria-live": "polite",
  "aria-relevant": "additions",
  onFocusin: keepOrigin,
  onKeydown: (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    const one = shown.find(({ root }) => root.contains(document.activeElement));
    if (one) remove(one);
  },
});

/**
 * Say something for a while. The pointer or the focus on any toast keeps all of them.
 *
 * @param {{text: string, action?: {label: string, run: () => void}, seconds?: number}} options
 * @returns {() => void} takes it away before its time
 */
export function toast({ text, action, seconds = SECONDS }) {
  const root = el("div", { class: "qc-toast" }, el("span", { class: "qc-toast-text", dir: "auto", text }));
  /** @type {Shown} */
  const one = { root, left: seconds, born: performance.now() };
  if (action) {
    const act = () => {
      remove(one);
      action.run();
    };
    root.append(el("button", { type: "button", class: "qc-toast-action", onClick: act }, action.label));
  }
  shown.push(one);
  toasts.append(root);
  place();
  ticking ??= setInterval(tick, TICK_MS);
  return () => remove(one);
}

function tick() {
  const held = toasts.matches(":hover") || toasts.contains(document.activeElement);
  const now = performance.now();
  shown.slice().forEach((one, index) => {
    if (held) one.left = Math.max(one.left, AFTER_HOLD);
    else if (index >= shown.length - VISIBLE) one.left -= TICK_MS / 1000;
    const old = now - one.born > 1000 * LAST_SECOND;
    if (!held && (one.left <= 0 || old)) remove(one);
  });
}

/** @param {Shown} one */
function remove(one) {
  const at = shown.indexOf(one);
  if (at < 0) return;
  shown.splice(at, 1);
  const focused = one.root.contains(document.activeElement);
  one.root.remove();
  if (focused) {
    const next = toasts.querySelector("button") ?? (before?.isConnected ? before : null);
    /** @type {HTMLElement | null} */ (next)?.focus({ preventScroll: true });
  }
  if (shown.length) return;
  clearInterval(ticking);
  ticking = undefined;
}

/** @param {FocusEvent} event */
function keepOrigin({ relatedTarget }) {
  if (relatedTarget instanceof HTMLElement && !toasts.contains(relatedTarget)) before = relatedTarget;
}

/** Above the message box, in the middle of the chat. */
function place() {
  const main = document.getElementById("qc-main")?.getBoundingClientRect();
  const composer = document.getElementById("qc-composer")?.getBoundingClientRect();
  if (!main || !composer) return;
  toasts.style.left = `${main.left + main.width / 2}px`;
  toasts.style.bottom = `${Math.max(0, innerHeight - composer.top) + GAP}px`;
}

addEventListener("resize", () => shown.length && place());
