/**
 * Where the page's parts meet. Each is made once; Gradio's empty components call `mount`
 * when they appear, also again should Gradio ever render them anew.
 */

import { announcer, startAnnouncer } from "./announce.js";
import { chatPane, startChatPane } from "./chat-pane.js";
import { composer, startComposer } from "./composer.js";
import { el, isTouch } from "./dom.js";
import * as live from "./live.js";
import { startPanels } from "./panels.js";
import { startRouter } from "./router.js";
import * as settings from "./settings.js";
import { adoptPanel, settingsFoot, settingsHead } from "./settings-view.js";
import { sidebar, startSidebar } from "./sidebar.js";
import { startStatus } from "./status.js";
import { startTheme } from "./theme.js";
import { startTopbar, topbar } from "./topbar.js";

const scrim = el("div", { class: "qc-scrim" });

/** @type {Record<string, Node[]>} */
const parts = {
  sidebar: [sidebar],
  topbar: [topbar],
  "chat-pane": [chatPane],
  composer: [composer],
  "settings-head": [settingsHead],
  "settings-foot": [settingsFoot],
  overlay: [scrim, announcer],
};

/** @param {string} name @param {HTMLElement} element */
export function mount(name, element) {
  element.replaceChildren(...parts[name]);
  if (name === "composer" && !isTouch()) {
    document.getElementById("message-box")?.focus({ preventScroll: true });
  }
  if (name === "settings-head") adoptPanel();
}

/** @param {() => void} trigger @param {any} config  From Python, by way of the bridge. */
export const connectSettings = (trigger, config) => settings.connect(trigger, config);

startTheme();
startRouter();
settings.start();
startChatPane();
startComposer();
startSidebar();
startStatus();
startTopbar();
startPanels(scrim);
startAnnouncer();
live.start();
