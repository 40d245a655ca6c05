/** Above the chat: which model answers, how it is, and the buttons of the side bars. */

import { stop } from "./actions.js";
import { copyChatButton, startCopyChat } from "./copy-chat.js";
import { isDemo } from "./demo.js";
import { el, icon, iconButton } from "./dom.js";
import { downloadsButton, startDownloadsButton } from "./models/downloads-button.js";
import { loadingBar, startLoadingBar } from "./models/loading-bar.js";
import { picker, startPicker } from "./models/picker.js";
import { isOpen, togglePanel } from "./panels.js";
import { statusLine } from "./status.js";
import { on, state } from "./store.js";
import { strings } from "./strings.js";

const sidebarButton = iconButton("sidebar", strings.sidebar.open, () => togglePanel("sidebar"), {
  id: "toggle-sidebar",
});
const settingsButton = iconButton("sliders", strings.settings.open, () => togglePanel("settings"), {
  id: "toggle-settings",
  "aria-controls": "settings-panel",
});

/** A demo's new chat is the page as it was at first: not a word of the one before is left. */
const startOver = el(
  "button",
  {
    type: "button",
    id: "demo-new-chat",
    "aria-label": strings.sidebar.newChat,
    onClick: async () => {
      if (state.openId) await stop();
      history.replaceState(null, "", location.pathname);
      location.reload();
    },
  },
  icon("plus"),
  strings.sidebar.newChat,
);

export const topbar = el(
  "header",
  { class: "qc-topbar" },
  sidebarButton,
  ...(isDemo ? [startOver] : []),
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
