/** What stands in the chat while a conversation is fetched, where that takes a while. */

import { el } from "./dom.js";
import { on, state } from "./store.js";
import { strings } from "./strings.js";

/** Shorter waits need no word. */
const WORTH_SAYING_MS = 500;

/** For the chat's column. */
export function createOpening() {
  const root = el("p", { class: "qc-opening", role: "status", hidden: true });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  function look() {
    clearTimeout(timer);
    root.hidden = true;
    root.textContent = "";
    if (state.openId === null || state.conversation || state.missing) return;
    timer = setTimeout(() => {
      root.hidden = false;
      root.textContent = strings.waits.opening;
    }, WORTH_SAYING_MS);
  }

  on(["open", "conversation"], look);
  look();
  return root;
}
