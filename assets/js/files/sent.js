/** The files of a message that was sent. */

import { el } from "../dom.js";
import { strings } from "../strings.js";
import { about, createChip, rangeWords } from "./chip.js";
import { openPreview } from "./preview.js";

/** @param {import("../types.js").Attachment[]} attachments @returns {HTMLElement | null} */
export function sentFiles(attachments) {
  if (!attachments.length) return null;
  return el(
    "ul",
    { class: "qc-file-chips qc-sent-files", "aria-label": strings.files.list },
    ...attachments.map((file) =>
      el(
        "li",
        { class: "qc-file-chip" },
        createChip({
          name: file.name,
          kind: file.kind,
          detail: rangeWords(file),
          label: strings.files.open([file.name, ...about(file)].join(", ")),
          onOpen: () => openPreview(file),
        }),
      ),
    ),
  );
}
