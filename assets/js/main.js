/**
 * Where the page's parts meet. Each is made once; Gradio's empty components call `mount`
 * when they appear, also again should Gradio ever render them anew.
 */

import { announcer, startAnnouncer } from "./announce.js";
import { questions } from "./ask.js";
import { bannerPlace, startBanner } from "./banner.js";
import { chatPane, startChatPane } from "./chat-pane.js";
import { composer, startComposer } from "./composer.js";
import { el, isTouch } from "./dom.js";
import { fileDropPlace, startDropping } from "./files/dropping.js";
import { startIme } from "./ime.js";
import { startInstalled } from "./installed.js";
import * as live from "./live.js";
import { menus } from "./menu.js";
import { meterPopover } from "./meter.js";
import { downloadsAnnouncer, startDownloads } from "./models/downloads.js";
import { draw as drawModelsPanel, modelsPlace, startModelsPanel } from "./models/panel.js";
import { notices, startNotices } from "./notices.js";
import { startPanels } from "./panels.js";
import { expertSwitch, startLevels } from "./personas/levels-view.js";
import { startManager } from "./personas/manager.js";
import { personaRow, startPersonaRow } from "./personas/persona-row.js";
import { presetRow, startPresetRow } from "./personas/preset-row.js";
import { comeBack } from "./revisit.js";
import { startRouter } from "./router.js";
import { startRunning } from "./running.js";
import { fromServer } from "./server-words.js";
import * as settings from "./settings.js";
import { adoptPanel, settingsFoot, settingsHead } from "./settings-view.js";
import { sheetPlace } from "./shortcut-sheet.js";
import { startShortcuts } from "./shortcuts.js";
import { sidebar, startSidebar } from "./sidebar.js";
import { startStatus } from "./status.js";
import { startTabTitle } from "./tab-title.js";
import { temporaryLine } from "./temporary.js";
import { startTheme } from "./theme.js";
import { startThinkingSwitch, thinkingRow } from "./thinking-switch.js";
import { toasts } from "./toast.js";
import { startTopbar, topbar } from "./topbar.js";
import { startViewport } from "./viewport.js";

const scrim = el("div", { class: "qc-scrim" });

/** @type {Record<string, Node[]>} */
const parts = {
  sidebar: [sidebar],
  topbar: [topbar, notices, temporaryLine],
  "chat-pane": [chatPane],
  composer: [composer],
  "settings-head": [settingsHead],
  "persona-row": [personaRow],
  "preset-row": [presetRow],
  "thinking-row": [thinkingRow],
  "expert-switch": [expertSwitch],
  "settings-foot": [settingsFoot],
  overlay: [scrim, fileDropPlace, announcer, downloadsAnnouncer, meterPopover, modelsPlace, menus, questions, sheetPlace, bannerPlace, toasts],
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
export const connectSettings = (trigger, config) => settings.connect(trigger, fromServer(config));

startIme();
startTheme();
startRouter();
comeBack();
settings.start();
startPersonaRow();
startPresetRow();
startThinkingSwitch();
startLevels();
startManager();
startRunning();
startChatPane();
startComposer();
startDropping();
startSidebar();
startStatus();
startTabTitle();
startTopbar();
startNotices();
startBanner();
startPanels(scrim);
startDownloads();
startModelsPanel();
startAnnouncer();
startShortcuts();
startViewport();
live.start();
startInstalled();
