/**
 * The two side bars: columns beside the chat on a wide window, remembered; drawers over
 * it on a narrow one, closed at first. `<html data-sidebar data-settings>` says which are
 * open, so the first paint already has them right.
 */

import { isNarrow } from "./dom.js";
import { emit } from "./store.js";
import { remember } from "./storage.js";

/** @typedef {"sidebar"|"settings"} Panel */

const root = document.documentElement;
const ELEMENT = { sidebar: "qc-sidebar", settings: "settings-panel" };
/** @type {Panel | null} */
let drawer = null;
/** @type {HTMLElement | null} */
let opener = null;
let covered = false;

/** @param {Panel} panel */
export const isOpen = (panel) =>
  isNarrow() ? drawer === panel : root.dataset[panel] === "open";

/** @param {Panel} panel @param {boolean} [open]  The other way round when left out. */
export function togglePanel(panel, open = !isOpen(panel)) {
  if (isNarrow()) return setDrawer(open ? panel : null);
  root.dataset[panel] = open ? "open" : "closed";
  remember(panel, root.dataset[panel] ?? null);
  settle();
}

export const closeDrawer = () => drawer && setDrawer(null);

/** Something lies over the whole page, and only that can be used. @param {boolean} value */
export function setCovered(value) {
  covered = value;
  settle();
}

/** @param {Panel | null} panel */
function setDrawer(panel) {
  if (panel && !drawer) opener = /** @type {HTMLElement} */ (document.activeElement);
  drawer = panel;
  settle();
  if (panel) {
    const first = document.getElementById(ELEMENT[panel])?.querySelector("button, input, a");
    /** @type {HTMLElement | null} */ (first)?.focus({ preventScroll: true });
  } else {
    opener?.focus({ preventScroll: true });
  }
}

/** Closed side bars leave the tab order; an open drawer holds it. */
function settle() {
  if (!isNarrow()) drawer = null;
  if (drawer) root.dataset.drawer = drawer;
  else delete root.dataset.drawer;
  for (const panel of /** @type {Panel[]} */ (["sidebar", "settings"])) {
    document.getElementById(ELEMENT[panel])?.toggleAttribute("inert", covered || !isOpen(panel));
  }
  document.getElementById("qc-main")?.toggleAttribute("inert", covered || drawer !== null);
  emit("panels");
}

/** The dark behind an open drawer. @param {HTMLElement} scrim */
export function startPanels(scrim) {
  scrim.addEventListener("click", closeDrawer);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && drawer && !covered) closeDrawer();
  });
  matchMedia("(max-width: 799.98px)").addEventListener("change", settle);
  const wait = () =>
    document.getElementById("settings-panel") ? settle() : requestAnimationFrame(wait);
  wait();
}
