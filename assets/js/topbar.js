/** Above the chat: which model answers, how it is, and the buttons of the side bars. */

import { copyChatButton, startCopyChat } from "./copy-chat.js";
import { el, iconButton } from "./dom.js";
import { downloadsButton, startDownloadsButton } from "./models/downloads-button.js";
import { loadingBar, startLoadingBar } from "./models/loading-bar.js";
import { picker, startPicker } from "./models/picker.js";
import { isOpen, togglePanel } from "./panels.js";
import { statusLine } from "./status.js";
import { on } from "./store.js";
import { strings } from "./strings.js";

const sidebarButton = iconButton("sidebar", strings.sidebar.open, () => togglePanel("sidebar"));
const settingsButton = iconButton("sliders", strings.settings.open, () => togglePanel("settings"), {
  id: "toggle-settings",
  "aria-controls": "settings-panel",
});

export const topbar = el(
  "header",
  { class: "qc-topbar" },
  sidebarButton,
  el("div", { class: "qc-model" }, picker),
  statusLine,
  downloadsButton,
  copyChatButton,
  settingsButton,
  loadingBar,
);

export function startTopbar() {
  on("panels", drawButtons);
  startPicker();
  startLoadingBar();
  startDownloadsButton();
  startCopyChat();
  drawButtons();
}

function drawButtons() {
  sidebarButton.hidden = isOpen("sidebar");
  settingsButton.hidden = isOpen("settings");
}
