/** The settings panel's own parts: head, foot, notices, and what Gradio leaves to us. */

import { el, iconButton, setText } from "./dom.js";
import { translateComponents } from "./gradio-words.js";
import { onText } from "./ime.js";
import { togglePanel } from "./panels.js";
import { adoptLevels } from "./personas/levels-view.js";
import { changed, fieldLeft, reset } from "./settings.js";
import { strings } from "./strings.js";

const notice = el("p", { class: "qc-notice", role: "alert", hidden: true });

export const settingsHead = el(
  "div",
  { class: "qc-panel-head" },
  el("h2", { text: strings.settings.label }),
  iconButton("close", strings.settings.close, () => togglePanel("settings", false)),
);

export const settingsFoot = el(
  "div",
  { class: "qc-panel-foot" },
  notice,
  el("button", { type: "button", id: "reset-settings", class: "qc-button", onClick: reset },
    strings.settings.reset),
  el("p", { class: "qc-hint", text: strings.settings.resetHint }),
);

/** @param {string} name */
const field = (name) => document.getElementById(`setting-${name}`);

/**
 * Say something calm below a setting, or at the foot of the panel; "" takes it away.
 *
 * @param {string | null} name
 * @param {string} text
 */
export function showNotice(name, text) {
  const place = name === null ? null : field(name);
  let node = place ? place.querySelector(".qc-notice") : notice;
  if (!node && text && place) {
    node = el("p", { class: "qc-notice", role: "alert" });
    place.append(node);
  }
  if (!node) return;
  setText(/** @type {HTMLElement} */ (node), text);
  /** @type {HTMLElement} */ (node).hidden = !text;
}

/** @param {boolean} locked  While the conversation's settings are not known. */
export function lockFields(locked) {
  document.getElementById("settings-fields")?.toggleAttribute("inert", locked);
}

/** Give Gradio's panel the ids, names and listeners it does not give itself. */
export function adoptPanel() {
  const panel = document.getElementById("settings-panel");
  const prompt = field("system_prompt")?.querySelector("textarea");
  if (!panel || !prompt) return void requestAnimationFrame(adoptPanel);
  panel.setAttribute("role", "complementary");
  panel.setAttribute("aria-label", strings.settings.label);
  if (!panel.dataset.adopted) {
    translateComponents(panel);
    panel.addEventListener("focusout", fieldLeft);
    onText(panel, report);
  }
  panel.dataset.adopted = "true";
  prompt.id = "system-prompt";
  adoptLevels();
}

/** @param {Event} event  Only a person causes these; values put in by Gradio do not. */
function report({ target }) {
  const name = /** @type {Element} */ (target).closest(".qc-setting")?.id.slice("setting-".length);
  if (!name) return;
  if (target instanceof HTMLTextAreaElement) changed(name, target.value);
  if (target instanceof HTMLInputElement && target.type === "radio") changed(name, target.value);
  else if (target instanceof HTMLInputElement) {
    changed(name, Number.isNaN(target.valueAsNumber) ? null : target.valueAsNumber);
  }
}
