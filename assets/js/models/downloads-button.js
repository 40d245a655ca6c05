/** In the top bar while something is being downloaded: how far all of it is, and the way there. */

import { el, icon, setText } from "../dom.js";
import { percent } from "../numbers.js";
import { openPanel } from "../router.js";
import { on, state } from "../store.js";
import { strings } from "../strings.js";
import { isActive, shareOf, unfinished } from "./downloads.js";

const words = strings.downloads;

const text = el("span", { class: "qc-number", "aria-hidden": "true" });
const bar = el("span");
const mark = el("span", { class: "qc-downloads-mark" });

export const downloadsButton = el(
  "button",
  { type: "button", id: "downloads-button", "aria-label": words.label, hidden: true, onClick: () => openPanel(state.panel ?? "get") },
  mark,
  text,
  el("span", { class: "qc-bar", "aria-hidden": "true" }, bar),
);

export function startDownloadsButton() {
  on("downloads", draw);
  draw();
}

/** @type {"download"|"pause"|"warning"|null} */
let drawn = null;

function draw() {
  const all = unfinished();
  downloadsButton.hidden = all.length === 0;
  if (!all.length) return;
  const share = shareOf(all) ?? 0;
  setText(text, percent(share));
  bar.style.transform = `scaleX(${share})`;
  const label = words.open(words.title(all.length), share);
  if (downloadsButton.title !== label) {
    downloadsButton.title = label;
    downloadsButton.setAttribute("aria-label", label);
  }
  const failed = all.some((download) => download.state === "failed");
  const picture = failed ? "warning" : all.some(isActive) ? "download" : "pause";
  if (picture !== drawn) mark.replaceChildren(icon((drawn = picture)));
}
