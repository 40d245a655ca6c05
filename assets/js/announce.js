/** What a screen reader hears of an answer: finished sentences, not tokens. */

import { el } from "./dom.js";
import { on } from "./store.js";
import { strings } from "./strings.js";

const SENTENCE_END = /[.!?。！？…:]["')\]”’」]*\s|\n/g;
const KEEP = 12;

/** Visually hidden; each finished sentence is added as a node of its own. */
export const announcer = el("div", { class: "qc-hidden", "aria-live": "polite", id: "announcer" });

let messageId = "";
let spoken = 0;

/** @param {string} text */
function say(text) {
  const clean = text.replace(/[`*_#>|]+/g, "").trim();
  if (!clean) return;
  announcer.append(el("p", { text: clean }));
  while (announcer.childElementCount > KEEP) announcer.firstChild?.remove();
}

/** @param {import("./types.js").Message} message @param {boolean} complete */
function advance(message, complete) {
  const rest = message.content.slice(spoken);
  let end = complete ? rest.length : 0;
  if (!complete) for (const match of rest.matchAll(SENTENCE_END)) end = match.index + match[0].length;
  if (end) say(rest.slice(0, end));
  spoken += end;
}

export function startAnnouncer() {
  on("open", () => announcer.replaceChildren());
  on("delta", ({ message, text }) => {
    if (message.id !== messageId) {
      messageId = message.id;
      spoken = message.content.length - text.length; // a page that joins late hears the rest
    }
    advance(message, false);
  });
  on("message", ({ message }) => {
    if (message.role !== "assistant" || message.state === "streaming") return;
    if (message.id === messageId) advance(message, true);
    say(message.error?.message ?? (message.state === "stopped" ? strings.chat.stopped : ""));
  });
}
