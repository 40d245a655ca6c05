/**
 * Loading the page again without the person noticing more than what was meant to change: what
 * neither the address nor the browser's storage has is carried over the load, and no longer.
 */

import { recallDraft, rememberDraft } from "./drafts.js";
import { isNarrow } from "./dom.js";
import { isOpen, togglePanel } from "./panels.js";
import { draftOwner, isTemporary, markTemporary, on, state } from "./store.js";

const KEY = "qwenchat.revisit";
/** Formulas and pictures change heights for a while after messages are drawn. */
const SETTLING_MS = 500;
/** How long is waited for the page to be whole. */
const MOUNTING_MS = 10_000;

/**
 * `owner` and `draft` are a temporary chat's, whose drafts are in no storage; `at` is the
 * message at the top of the pane and how far its top is below that, in pixels.
 *
 * @typedef {{owner: string | null, draft: string, temporaryDraft: boolean,
 *   limit: number, from: string | null, at: {id: string, top: number} | null,
 *   drawer: boolean, focus: string}} Place
 */

const pane = () => document.getElementById("chat");

/** Load the page again and come back to this place. @param {string} focus  Id to focus then. */
export function revisit(focus) {
  const owner = draftOwner();
  const temporary = isTemporary(owner);
  dispatchEvent(new Event("pagehide")); // drafts are saved before this one is read
  /** @type {Place} */
  const place = {
    owner: temporary ? owner : null,
    draft: temporary ? recallDraft(owner) : "",
    temporaryDraft: state.temporaryDraft,
    limit: Math.max(state.shown.limit, state.conversation?.messages.length ?? 0),
    from: state.shown.from,
    at: topMessage(),
    drawer: isNarrow() && isOpen("sidebar"),
    focus,
  };
  sessionStorage.setItem(KEY, JSON.stringify(place));
  location.reload();
}

/** What is read at the top of the pane; null where the pane is at its end and follows. */
function topMessage() {
  const scroller = pane();
  if (!scroller || scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop < 24) return null;
  const edge = scroller.getBoundingClientRect().top;
  const messages = /** @type {NodeListOf<HTMLElement>} */ (scroller.querySelectorAll("[data-message-id]"));
  for (const message of messages) {
    const { top, bottom } = message.getBoundingClientRect();
    if (bottom > edge) return { id: message.dataset.messageId ?? "", top: top - edge };
  }
  return null;
}

/** @returns {Place | null} */
function carried() {
  try {
    const text = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

/** Before anything is drawn, and after the address was read. */
export function comeBack() {
  const place = carried();
  if (!place) return;
  state.temporaryDraft = place.temporaryDraft && state.openId === null;
  if (place.owner !== null && place.owner === draftOwner()) {
    markTemporary(place.owner);
    rememberDraft(place.owner, place.draft);
  }
  if (!state.reveal) state.shown = { limit: place.limit, from: place.from };
  let back = place.at === null;
  on("conversation", () => {
    if (back || !place.at) return;
    back = true;
    scrollTo(place.at);
  });
  focusAgain(place, performance.now() + MOUNTING_MS);
}

/** Once Gradio has put all parts in, which take the focus themselves. @param {Place} place @param {number} until */
function focusAgain(place, until) {
  const there = ["settings-panel", "message-box", place.focus].map((id) => document.getElementById(id));
  if (!there.every(Boolean)) {
    if (performance.now() < until) requestAnimationFrame(() => focusAgain(place, until));
    return;
  }
  setTimeout(() => {
    if (place.drawer) togglePanel("sidebar", true);
    there.at(-1)?.focus({ preventScroll: true });
  });
}

/** @param {NonNullable<Place["at"]>} at */
function scrollTo({ id, top }) {
  const patience = performance.now() + MOUNTING_MS;
  let until = Infinity;
  let moved = false;
  const stop = () => (moved = true);
  for (const event of ["wheel", "touchstart", "pointerdown"]) {
    addEventListener(event, stop, { once: true, passive: true, capture: true });
  }
  // The chat may have the messages before Gradio has put the chat into the page.
  const step = () => {
    const now = performance.now();
    const scroller = pane();
    const message = scroller?.querySelector(`[data-message-id="${CSS.escape(id)}"]`);
    if (moved || now > Math.min(until, patience)) return;
    if (scroller && message && scroller.clientHeight > 0) {
      until = Math.min(until, now + SETTLING_MS);
      const off = message.getBoundingClientRect().top - scroller.getBoundingClientRect().top - top;
      if (Math.abs(off) >= 1) scroller.scrollTop += off;
    }
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}
