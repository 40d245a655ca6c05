/** What can be done about files that do not fit, in the row that says so. */

import { el } from "../dom.js";
import { strings } from "../strings.js";
import { asAttachments, attached } from "./attached.js";
import { openPreview } from "./preview.js";
import { useBeginningOf } from "./range.js";

const words = strings.files;

/** Buttons for the longest of the files; none without files. @returns {HTMLElement | null} */
export function waysForFiles() {
  const ready = attached().filter(({ file }) => file);
  const longest = ready.reduce(
    (most, one) => (one.tokens ?? 0) > (most?.tokens ?? -1) ? one : most,
    ready[0],
  );
  if (!longest) return null;
  const fit = el("button", { type: "button", class: "qc-button", onClick: run }, words.beginning);
  async function run() {
    fit.disabled = true;
    await useBeginningOf(longest);
    fit.disabled = false;
  }
  return el(
    "div",
    { class: "qc-overflow-files" },
    ready.length > 1 ? el("span", { class: "qc-hint", dir: "auto", text: longest.name }) : null,
    fit,
    el(
      "button",
      { type: "button", class: "qc-button", onClick: () => openPreview(asAttachments([longest])[0], longest) },
      words.chooseRange,
    ),
  );
}
