/** Above the chat: which model answers, how it is, and the buttons of the side bars. */

import { copyChatButton, startCopyChat } from "./copy-chat.js";
import { el, icon, iconButton, setText } from "./dom.js";
import { isOpen, togglePanel } from "./panels.js";
import { statusLine } from "./status.js";
import { on, state } from "./store.js";
import { strings } from "./strings.js";

const name = el("span", { class: "qc-model-name", text: strings.model.unknown });
const note = el("p");
const context = el("p", { class: "qc-hint" });
const about = el("div", { class: "qc-popover", id: "model-about", hidden: true }, note, context);
const picker = el(
  "button",
  { type: "button", id: "model-picker", "aria-expanded": "false", "aria-controls": "model-about",
    onClick: () => setAbout(about.hidden) },
  name,
  icon("chevron"),
);
const sidebarButton = iconButton("sidebar", strings.sidebar.open, () => togglePanel("sidebar"));
const settingsButton = iconButton("sliders", strings.settings.open, () => togglePanel("settings"), {
  id: "toggle-settings",
  "aria-controls": "settings-panel",
});

export const topbar = el(
  "header",
  { class: "qc-topbar" },
  sidebarButton,
  el("div", { class: "qc-model" }, picker, about),
  statusLine,
  copyChatButton,
  settingsButton,
);

/** @param {boolean} open */
function setAbout(open) {
  about.hidden = !open || !(note.textContent || context.textContent);
  picker.setAttribute("aria-expanded", String(!about.hidden));
}

export function startTopbar() {
  on("engine", draw);
  on("panels", drawButtons);
  addEventListener("pointerdown", (event) => {
    if (!about.hidden && !about.parentElement?.contains(/** @type {Node} */ (event.target))) setAbout(false);
  });
  about.parentElement?.addEventListener("keydown", (event) => {
    if (event.key === "Escape") setAbout(false);
  });
  startCopyChat();
  draw();
  drawButtons();
}

function draw() {
  const engine = state.engine;
  setText(name, engine?.model || strings.model.unknown);
  picker.title = engine?.model_note ?? "";
  setText(note, engine?.model_note ?? "");
  setText(context, engine?.context_length ? strings.model.context(engine.context_length) : "");
}

function drawButtons() {
  sidebarButton.hidden = isOpen("sidebar");
  settingsButton.hidden = isOpen("settings");
}
