/** The text of a file over the page, with the part marked that the model reads. */

import { api, reasonOf } from "../api.js";
import { questions } from "../ask.js";
import { el, icon, iconButton, setDirection } from "../dom.js";
import { state } from "../store.js";
import { strings } from "../strings.js";
import { about, kindIcon } from "./chip.js";
import { createRangePicker } from "./range.js";
import { split } from "./units.js";

/** @typedef {import("../types.js").Attachment} Attachment */

/** Characters that are laid out of the chosen part, and of what is around it. */
const MOST_SHOWN = 100_000;
const MOST_AROUND = 2000;

const words = strings.files;

/**
 * @param {Attachment} file
 * @param {import("./attached.js").Item} [item]  Where it is in the message box: its range can be
 *   chosen there.
 * @param {() => HTMLElement | null} [opener]  What has the focus afterwards, where that is made
 *   anew meanwhile.
 */
export function openPreview(file, item, opener) {
  const before = document.activeElement;
  const title = el("h2", { id: "preview-title", dir: "auto", text: file.name });
  const place = el("div", { class: "qc-preview-text", tabindex: "0", role: "region", "aria-label": words.text });
  const facts = el("p", { class: "qc-hint qc-number", text: about({ ...file, from: null, to: null }).join(" · ") });
  let text = "";
  const picker = item ? createRangePicker(item, () => show()) : null;
  const dialog = el(
    "dialog",
    { class: "qc-preview", "aria-labelledby": "preview-title", onKeydown: stopEscape },
    el(
      "header",
      { class: "qc-preview-head" },
      kindIcon(file.kind),
      el("div", { class: "qc-preview-names" }, title, facts),
      iconButton("close", words.close, () => dialog.close()),
    ),
    picker?.root,
    place,
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => {
    picker?.end();
    dialog.remove();
    const back = before?.isConnected ? before : opener?.() ?? document.getElementById("message-box");
    /** @type {HTMLElement | null} */ (back)?.focus({ preventScroll: true });
  });
  questions.append(dialog);
  dialog.showModal();
  place.textContent = words.loading;
  void load();

  async function load() {
    try {
      ({ text } = await api.fileText(file.id, state.openId));
      show();
    } catch (error) {
      place.replaceChildren(el("p", { class: "qc-preview-problem" }, icon("warning"), reasonOf(error)));
    }
  }

  function show() {
    if (!text) return;
    const { from, to } = item ?? file;
    const isPart = from !== null || to !== null;
    const [head, chosen, tail] = split(text, file.unit, from ?? 1, to ?? file.count);
    const marked = el("div", { class: isPart ? "qc-preview-chosen" : "" }, ...parts(chosen));
    place.replaceChildren(
      ...(head ? [aside(head.length > MOST_AROUND ? `…${head.slice(-MOST_AROUND)}` : head)] : []),
      marked,
      ...(tail ? [aside(tail.length > MOST_AROUND ? `${tail.slice(0, MOST_AROUND)}…` : tail)] : []),
    );
    setDirection(place, chosen);
    place.scrollTop = head ? Math.max(0, marked.offsetTop - place.offsetTop - 48) : 0;
  }

  /** @param {string} chosen */
  function parts(chosen) {
    const pages = file.unit === "page" ? chosen.slice(0, MOST_SHOWN).split("\f") : [chosen.slice(0, MOST_SHOWN)];
    const first = (item ?? file).from ?? 1;
    const blocks = pages.map((page, index) =>
      el(
        "div",
        { class: "qc-preview-block" },
        file.unit === "page" ? el("p", { class: "qc-hint", text: words.range("page", first + index, first + index) }) : null,
        page,
      ),
    );
    const rest = chosen.length - MOST_SHOWN;
    return rest > 0 ? [...blocks, el("p", { class: "qc-hint", text: words.more(rest) })] : blocks;
  }
}

/** @param {string} text */
const aside = (text) => el("div", { class: "qc-preview-aside", text: text.replaceAll("\f", "\n\n") });

/** What lies below would close too. @param {KeyboardEvent} event */
function stopEscape(event) {
  if (event.key === "Escape") event.stopPropagation();
}
