/** A menu that opens beside its button, over everything else and always inside the window. */

import { el, icon } from "./dom.js";

const MARGIN = 8;
const GAP = 4;

/**
 * What an entry does: `run`, or a file it loads from `download`. `note` stands behind the
 * label; `checked` makes it one of several of which one holds; `apart` begins a group.
 *
 * @typedef {{label: string, icon: Parameters<typeof icon>[0] | Node | null, run?: () => void,
 *   download?: string, danger?: boolean, note?: string, checked?: boolean,
 *   apart?: boolean}} Item
 *
 * @typedef {{onClose?: () => void, head?: Node, start?: boolean}} Options
 *   `head` stands above the entries; `start`: begin where the button begins, on a phone
 *   a sheet over the whole width.
 */

/** Mounted once, beside the drawers. */
export const menus = el("div", { class: "qc-menus" });

/** @type {{button: HTMLElement, root: HTMLElement, onClose: () => void} | null} */
let open = null;

/**
 * Open a menu, or close it when it is that button's already.
 *
 * @param {HTMLElement} button
 * @param {string} label
 * @param {Item[]} items
 * @param {Options} [options]
 */
export function toggleMenu(button, label, items, options = {}) {
  const again = open?.button === button;
  closeMenu();
  if (again) return;
  const { onClose = () => {}, head = null, start = false } = options;
  const root = el(
    "div",
    { class: `qc-menu${start ? " qc-menu-sheet" : ""}`, role: "menu", "aria-label": label,
      onKeydown: onKey, onFocusout: onLeave },
    head,
    ...items.flatMap((item) => [item.apart ? separator() : null, itemFor(item)]),
  );
  open = { button, root, onClose };
  button.setAttribute("aria-expanded", "true");
  menus.append(root);
  place(button, root, start);
  focusItem(0);
  addEventListener("pointerdown", onOutside, true);
  addEventListener("resize", closeMenu);
  addEventListener("wheel", onOutside, { passive: true });
}

/** Close the menu that is open, if one is. The focus stays where it is. */
export function closeMenu() {
  if (!open) return;
  const { button, root, onClose } = open;
  open = null;
  root.remove();
  button.setAttribute("aria-expanded", "false");
  removeEventListener("pointerdown", onOutside, true);
  removeEventListener("resize", closeMenu);
  removeEventListener("wheel", onOutside);
  onClose();
}

/** Whether it is this button's menu that is open. @param {HTMLElement} button */
export const isMenuOf = (button) => open?.button === button;

const separator = () => el("div", { class: "qc-menu-apart", role: "separator" });

/** @param {Item} item */
function itemFor({ label, icon: picture, run, download, danger, note, checked }) {
  const attributes = {
    role: checked === undefined ? "menuitem" : "menuitemradio",
    "aria-checked": checked === undefined ? null : String(checked),
    tabindex: "-1",
    class: `qc-menu-item${danger ? " qc-danger" : ""}`,
    onClick: () => {
      back();
      run?.();
    },
    onPointermove: (/** @type {PointerEvent} */ event) =>
      /** @type {HTMLElement} */ (event.currentTarget).focus({ preventScroll: true }),
  };
  const parts = [
    picture instanceof Node ? picture : picture ? icon(picture) : el("span", { class: "qc-icon" }),
    el("span", { class: "qc-menu-label", text: label }),
    note ? el("span", { class: "qc-menu-note qc-number", text: note }) : null,
  ];
  return download
    ? el("a", { ...attributes, href: download, download: "" }, ...parts)
    : el("button", { ...attributes, type: "button" }, ...parts);
}

/** @returns {HTMLElement[]} */
const entries = () => [...(open?.root.querySelectorAll(":scope > .qc-menu-item") ?? [])].map(
  (item) => /** @type {HTMLElement} */ (item),
);

/** Close, with the focus on the button again. */
function back() {
  const button = open?.button;
  closeMenu();
  button?.focus({ preventScroll: true });
}

/** @param {number} index */
function focusItem(index) {
  const items = entries();
  items[(index + items.length) % items.length]?.focus({ preventScroll: true });
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const items = entries();
  const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (target !== undefined) focusItem(target);
  else if (event.key === "Escape" || event.key === "Tab") back();
  else if (event.key === " ") items[at]?.click();
  else if (event.key.length === 1) focusLetter(event.key, at);
  else return;
  event.preventDefault();
  event.stopPropagation(); // Escape would close the drawer too
}

/** The next entry that begins with a letter. @param {string} letter @param {number} at */
function focusLetter(letter, at) {
  const items = entries();
  const turned = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  const wanted = letter.toLowerCase();
  const next = turned.find((item) => item.textContent?.trim().toLowerCase().startsWith(wanted));
  if (next) focusItem(items.indexOf(next));
}

/** @param {FocusEvent} event */
function onLeave({ relatedTarget }) {
  if (relatedTarget && !open?.root.contains(/** @type {Node} */ (relatedTarget))) closeMenu();
}

/** @param {Event} event */
function onOutside({ target }) {
  const node = /** @type {Node} */ (target);
  if (open && !open.root.contains(node) && !open.button.contains(node)) closeMenu();
}

/**
 * Below the button, ends aligned, or beginnings; above it where there is no room.
 *
 * @param {HTMLElement} button
 * @param {HTMLElement} root
 * @param {boolean} start
 */
function place(button, root, start) {
  const at = button.getBoundingClientRect();
  const { width, height } = root.getBoundingClientRect();
  const below = at.bottom + GAP;
  const fits = below + height <= innerHeight - MARGIN;
  const top = fits ? below : at.top - GAP - height;
  const clamp = (/** @type {number} */ value, /** @type {number} */ size, /** @type {number} */ room) =>
    Math.max(MARGIN, Math.min(value, room - size - MARGIN));
  root.style.top = `${clamp(top, height, innerHeight)}px`;
  root.style.left = `${clamp(start ? at.left : at.right - width, width, innerWidth)}px`;
}
