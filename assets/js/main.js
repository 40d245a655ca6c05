/**
 * Where the page's parts meet. Each is made once; Gradio's empty components call `mount`
 * when they appear, also again should Gradio ever render them anew.
 */

import { announcer, startAnnouncer } from "./announce.js";
import { questions } from "./ask.js";
import { chatPane, startChatPane } from "./chat-pane.js";
import { composer, startComposer } from "./composer.js";
import { el, isTouch } from "./dom.js";
import * as live from "./live.js";
import { menus } from "./menu.js";
import { meterPopover } from "./meter.js";
import { downloadsAnnouncer, startDownloads } from "./models/downloads.js";
import { draw as drawModelsPanel, modelsPlace, startModelsPanel } from "./models/panel.js";
import { notices, startNotices } from "./notices.js";
import { startPanels } from "./panels.js";
import { startRouter } from "./router.js";
import { startRunning } from "./running.js";
import * as settings from "./settings.js";
import { adoptPanel, settingsFoot, settingsHead } from "./settings-view.js";
import { sidebar, startSidebar } from "./sidebar.js";
import { startStatus } from "./status.js";
import { temporaryLine } from "./temporary.js";
import { startTheme } from "./theme.js";
import { toasts } from "./toast.js";
import { startTopbar, topbar } from "./topbar.js";

const scrim = el("div", { class: "qc-scrim" });

/** @type {Record<string, Node[]>} */
const parts = {
  sidebar: [sidebar],
  topbar: [topbar, notices, temporaryLine],
  "chat-pane": [chatPane],
  composer: [composer],
  "settings-head": [settingsHead],
  "settings-foot": [settingsFoot],
  overlay: [scrim, announcer, downloadsAnnouncer, meterPopover, modelsPlace, menus, questions, toasts],
};

/** @param {string} name @param {HTMLElement} element */
export function mount(name, element) {
  element.replaceChildren(...parts[name]);
  if (name === "composer" && !isTouch()) {
    document.getElementById("message-box")?.focus({ preventScroll: true });
  }
  if (name === "settings-head") adoptPanel();
  if (name === "overlay") drawModelsPanel();
}

/** @param {() => void} trigger @param {any} config  From Python, by way of the bridge. */
export const connectSettings = (trigger, config) => settings.connect(trigger, config);

startTheme();
startRouter();
settings.start();
startRunning();
startChatPane();
startComposer();
startSidebar();
startStatus();
startTopbar();
startNotices();
startPanels(scrim);
startDownloads();
startModelsPanel();
startAnnouncer();
live.start();
