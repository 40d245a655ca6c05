/** The list of the keys: over the page, drawn from what really is bound. */

import { el, iconButton, isTouch } from "./dom.js";
import { strings } from "./strings.js";

const words = strings.keys;

/** Keys that belong to their place rather than to the page: text-box.js, and whatever is open. */
const ELSEWHERE = /** @type {const} */ ([
  { id: "send", keys: [["Enter"]] },
  { id: "newLine", keys: [["Shift", "Enter"]] },
  { id: "closeTop", keys: [["Escape"]] },
]);

/** Mounted once, beside the questions. */
export const sheetPlace = el("div", {});

/** For the foot of the side bar; where there are no keys there is no button. */
export const keysButton = iconButton("keyboard", words.button, toggleSheet, {
  id: "show-shortcuts",
  hidden: isTouch(),
});

/** @type {HTMLDialogElement | null} */
let sheet = null;

/** Drawn when it is asked for: by then it is known which keys there are. */
export async function toggleSheet() {
  if (sheet) return sheet.close();
  const before = document.activeElement;
  const mine = (sheet = draw(await import("./shortcuts.js")));
  sheetPlace.append(mine);
  mine.addEventListener("close", () => {
    mine.remove();
    sheet = null;
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  });
  mine.showModal();
}

/** @param {typeof import("./shortcuts.js")} bound */
function draw({ shortcuts, isMac }) {
  const sign = signs(isMac);
  const modifier = isMac ? ["Control", "Shift"] : ["Alt"];
  /** @typedef {{id: string, label: string, group: keyof typeof words.groups, keys: string[][]}} Row */
  /** @type {Row[]} */
  const rows = shortcuts.map(({ id, group, keys }) => ({
    id,
    label: words[id],
    group,
    keys: keys.filter(({ box }) => !box).map(({ key, bare }) => (bare ? [key] : [...modifier, key])),
  }));
  /** @type {Row[]} */
  const inBox = shortcuts.flatMap(({ id, keys }) =>
    keys.filter(({ box }) => box).map(({ key }) => ({
      id,
      label: words.whileEmpty(words[id]),
      group: "box",
      keys: [[key]],
    })),
  );
  /** @type {Row[]} */
  const others = ELSEWHERE.map(({ id, keys }) => ({
    id,
    label: words[id],
    group: "box",
    keys: keys.map((one) => [...one]),
  }));
  const groups = /** @type {(keyof typeof words.groups)[]} */ (Object.keys(words.groups));
  const lists = groups.map((group) =>
    el(
      "section",
      {},
      el("h3", { text: words.groups[group] }),
      el(
        "dl",
        {},
        ...[...rows, ...inBox, ...others]
          .filter((row) => row.group === group)
          .map((row) =>
            el(
              "div",
              { "data-shortcut": row.id },
              el("dt", { text: row.label }),
              el(
                "dd",
                {},
                ...row.keys.flatMap((combination, index) => [
                  index ? el("span", { text: words.or }) : null,
                  el("span", { class: "qc-keys" }, ...combination.map((key) => el("kbd", { text: sign(key) }))),
                ]),
              ),
            ),
          ),
      ),
    ),
  );
  /** @type {HTMLDialogElement} */
  const dialog = el(
    "dialog",
    { class: "qc-ask qc-shortcuts", id: "shortcuts", "aria-labelledby": "shortcuts-title", onKeydown: onKey,
      onClick: (/** @type {Event} */ event) => event.target === dialog && dialog.close() },
    el(
      "div",
      { class: "qc-shortcuts-page" },
      el(
        "div",
        { class: "qc-shortcuts-head" },
        el("h2", { id: "shortcuts-title", text: words.title }),
        iconButton("close", words.close, () => dialog.close()),
      ),
      ...lists,
      el("p", { class: "qc-hint", text: words.outside }),
    ),
  );
  return dialog;
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  event.stopPropagation(); // what lies below would act too
  if (event.key === "?") sheet?.close();
}

/** How a key is written on this kind of computer. @param {boolean} isMac */
function signs(isMac) {
  /** @type {Record<string, string>} */
  const mac = { Control: "⌃", Shift: "⇧", Enter: "↩", Escape: "esc", ArrowUp: "↑" };
  /** @type {Record<string, string>} */
  const other = { Escape: "Esc", ArrowUp: "↑" };
  return (/** @type {string} */ key) =>
    (isMac ? mac : other)[key] ?? (key.length === 1 ? key.toUpperCase() : key);
}
