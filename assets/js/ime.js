/**
 * Input methods: while one composes, its keys are its own. One guard before every listener of
 * the page, so that no box can forget it: Enter there picks a candidate and Escape drops it;
 * neither may ever send, search, rename, cancel or close.
 */

/** Safari ends a composition just before the Enter or Escape that ended it arrives. */
const AFTER_COMPOSITION_MS = 5;

let compositionEnd = -Infinity;

/** @param {KeyboardEvent} event  Browsers give 229 for a key that went to the input method. */
const isOfComposition = (event) =>
  event.isComposing || event.keyCode === 229 || event.timeStamp - compositionEnd < AFTER_COMPOSITION_MS;

/** @param {KeyboardEvent} event */
function guard(event) {
  if (!isOfComposition(event)) return;
  event.stopImmediatePropagation();
  // What a field of one line does by itself: Enter sends its form, Escape empties a search.
  const acts = event.key === "Enter" || event.key === "Escape";
  if (acts && event.target instanceof HTMLInputElement) event.preventDefault();
}

/** Before anything else listens. */
export function startIme() {
  addEventListener("compositionend", (event) => (compositionEnd = event.timeStamp), true);
  addEventListener("keydown", guard, true);
}

/**
 * Run something whenever the text of a field has changed and is no half of a word: what an
 * input method is still spelling out is not searched for, filtered by, or saved.
 *
 * @param {HTMLElement} field  Or what fields are in.
 * @param {(event: Event) => void} run
 */
export function onText(field, run) {
  field.addEventListener("input", (event) => {
    if (!(/** @type {InputEvent} */ (event).isComposing)) run(event);
  });
  field.addEventListener("compositionend", run);
}
