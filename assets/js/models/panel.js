/** The panel over the page: models here, more models, and the check of this machine. */

import { doctorView, startDoctor } from "../doctor.js";
import { el, iconButton } from "../dom.js";
import { setCovered } from "../panels.js";
import { closePanel, openPanel } from "../router.js";
import { on, state } from "../store.js";
import { strings } from "../strings.js";
import { downloadsView, startDownloadsView } from "./downloads-view.js";
import { getView, startGet } from "./get.js";
import { hereView, startHere } from "./here.js";

/** @typedef {import("../router.js").Panel} Panel */

const words = strings.models;

/** @type {Record<Panel, HTMLElement>} */
const views = { here: hereView, get: getView, doctor: doctorView };
const names = /** @type {Panel[]} */ (Object.keys(views));

const tabs = names.map((name) =>
  el("button", { type: "button", role: "tab", id: `models-tab-${name}`, "aria-controls": `models-${name}`,
    onClick: () => openPanel(name) }, words.tabs[name]),
);

const panel = el(
  "div",
  { class: "qc-models", id: "models-panel", role: "dialog", "aria-modal": "true", "aria-label": words.label },
  el("div", { class: "qc-models-head" },
    el("h2", { text: words.label }),
    iconButton("close", words.close, closePanel)),
  el("div", { class: "qc-tabs", role: "tablist", "aria-label": words.label, onKeydown: moveTab }, ...tabs),
  downloadsView,
  ...names.map((name) => views[name]),
);

/** Mounted once, over the chat and below menus and toasts. */
export const modelsPlace = el("div", {});
const layer = el(
  "div",
  { class: "qc-models-layer", hidden: true,
    onPointerdown: (/** @type {Event} */ event) => event.target === layer && closePanel() },
  panel,
);
modelsPlace.append(layer);

/** What had the focus when it was opened. @type {HTMLElement | null} */
let opener = null;

export function startModelsPanel() {
  for (const name of names) {
    const view = views[name];
    view.id = `models-${name}`;
    view.setAttribute("role", "tabpanel");
    view.setAttribute("aria-labelledby", `models-tab-${name}`);
  }
  startDownloadsView();
  startHere();
  startGet();
  startDoctor();
  on("panel", draw);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && state.panel) closePanel();
  });
  draw();
}

/** Show what the address names. The page calls it again when the panel's place is there. */
export function draw() {
  const wasOpen = !layer.hidden;
  const name = state.panel;
  if (name && !wasOpen) opener = focused();
  layer.hidden = name === null;
  setCovered(name !== null);
  names.forEach((one, index) => {
    views[one].hidden = one !== name;
    tabs[index].setAttribute("aria-selected", String(one === name));
    tabs[index].tabIndex = one === name ? 0 : -1;
  });
  if (name) tabs[names.indexOf(name)].focus({ preventScroll: true });
  else if (wasOpen) (opener?.isConnected ? opener : document.getElementById("message-box"))?.focus({ preventScroll: true });
}

function focused() {
  const { activeElement } = document;
  return activeElement instanceof HTMLElement && activeElement !== document.body ? activeElement : null;
}

/** Arrow keys move within the tabs. @param {KeyboardEvent} event */
function moveTab(event) {
  const at = names.indexOf(state.panel ?? "here");
  const target = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
  if (target === undefined) return;
  event.preventDefault();
  openPanel(/** @type {Panel} */ (names.at(target % names.length)));
}
