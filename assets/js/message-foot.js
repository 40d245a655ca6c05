/** The small buttons below a message, and what is behind its "more" button. */

import * as actions from "./message-actions.js";
import { el, icon } from "./dom.js";
import { copyText } from "./markdown/clipboard.js";
import { toggleMenu } from "./menu.js";
import { isRunning } from "./running.js";
import { strings } from "./strings.js";

/** @typedef {import("./types.js").Message} Message */

const COPIED_MS = 1500;
const words = strings.message;

/**
 * @param {Parameters<typeof icon>[0]} picture
 * @param {string} label
 * @param {(event: MouseEvent) => void} onClick
 * @param {Record<string, any>} [attributes]
 */
function button(picture, label, onClick, attributes = {}) {
  return el(
    "button",
    {
      type: "button",
      "aria-label": label,
      title: label,
      onClick,
      ...attributes,
      class: `qc-action ${attributes.class ?? ""}`.trim(),
    },
    icon(picture),
  );
}

/** @param {() => string} text */
export function copyButton(text) {
  const copy = button("copy", strings.chat.copy, async () => {
    if (!(await copyText(text()))) return;
    copy.replaceChildren(icon("check"));
    copy.setAttribute("aria-label", strings.chat.copied);
    setTimeout(() => {
      copy.replaceChildren(icon("copy"));
      copy.setAttribute("aria-label", strings.chat.copy);
    }, COPIED_MS);
  });
  return copy;
}

/** Class of what the server refuses while an answer runs: it cannot be seen then. */
const IDLE = "qc-when-idle";

/** @param {() => Message} message */
export const regenerateButton = (message) =>
  button("regenerate", strings.chat.regenerate, () => actions.regenerate(message()), {
    class: `${IDLE} regenerate`,
  });

/** @param {() => void} edit */
export const editButton = (edit) => button("rename", words.edit, edit, { class: `${IDLE} edit` });

/** @param {() => Message} message */
export function moreButton(message) {
  const more = button("more", words.more, () => toggleMenu(more, words.more, itemsFor(message())), {
    "aria-haspopup": "menu",
    "aria-expanded": "false",
  });
  return more;
}

/** @param {Message} message @returns {import("./menu.js").Item[]} */
function itemsFor(message) {
  /** @type {import("./menu.js").Item[]} */
  const items = [{ label: words.branch, icon: "branch", run: () => actions.branch(message) }];
  if (isRunning()) return items;
  items.push({ label: words.delete, icon: "trash", danger: true, run: () => actions.remove(message) });
  return items;
}

/** ‹ 2/3 ›, there when a message has more than one version. @param {() => Message} message */
export function createVersions(message) {
  const step = (/** @type {-1 | 1} */ by, /** @type {"previous" | "next"} */ control) =>
    button(control, words[control], () => actions.showVersion(message(), by, control), {
      "data-control": control,
    });
  const previous = step(-1, "previous");
  const next = step(1, "next");
  const place = el("span", { class: "qc-number" });
  const root = el(
    "div",
    { class: "qc-versions", role: "group", "aria-label": words.versions, hidden: true },
    previous,
    place,
    next,
  );
  return {
    root,
    update() {
      const { id, versions = [] } = message();
      const at = versions.indexOf(id);
      root.hidden = versions.length < 2;
      place.textContent = root.hidden ? "" : `${at + 1}/${versions.length}`;
      place.setAttribute("aria-label", words.version(at + 1, versions.length));
      previous.disabled = at <= 0;
      next.disabled = at >= versions.length - 1;
    },
  };
}
