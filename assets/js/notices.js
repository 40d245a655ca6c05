/** What the person should know about their data, above the chat until it is read or over. */

import { api, reasonOf } from "./api.js";
import { el, icon } from "./dom.js";
import { on, state } from "./store.js";
import { strings } from "./strings.js";
import { toast } from "./toast.js";

const words = strings.notices;

/** Mounted above the chat. */
export const notices = el("div", { class: "qc-notices", role: "status" });

/** Dismissed here, whatever the server still says. @type {Set<string>} */
const dismissed = new Set();

/** @type {Map<string, {node: HTMLElement, message: string}>} */
const shown = new Map();

export function startNotices() {
  on("notices", draw);
}

function draw() {
  const there = new Set(state.notices.map(({ id }) => id));
  for (const id of dismissed) if (!there.has(id)) dismissed.delete(id);
  const wanted = state.notices.filter(({ id }) => !dismissed.has(id));
  for (const [id, { node, message }] of shown) {
    if (wanted.some((notice) => notice.id === id && notice.message === message)) continue;
    node.remove();
    shown.delete(id);
  }
  for (const notice of wanted) {
    if (shown.has(notice.id)) continue;
    const node = cardFor(notice);
    shown.set(notice.id, { node, message: notice.message });
    notices.append(node);
  }
}

/** @param {import("./types.js").Notice} notice */
function cardFor({ id, kind, message }) {
  const button = el(
    "button",
    { type: "button", class: "qc-button", onClick: () => void dismiss(id) },
    words.dismiss,
  );
  return el(
    "div",
    { class: "qc-notice-card", "data-kind": kind },
    icon("warning"),
    el("p", { text: message }),
    kind === "not_saved" ? null : button, // that one goes by itself
  );
}

/** @param {string} id */
async function dismiss(id) {
  dismissed.add(id);
  draw();
  try {
    await api.dismissNotice(id);
  } catch (error) {
    dismissed.delete(id);
    draw();
    toast({ text: words.notDismissed(reasonOf(error)) });
  }
}
