/** The card of an import: how far it is, how it ended, and why some of it did not work. */

import { api, reasonOf } from "./api.js";
import { el, setText } from "./dom.js";
import { emit, on, state } from "./store.js";
import { strings } from "./strings.js";
import { toast } from "./toast.js";

const words = strings.transfer;

/** The file on its way to the server. @type {{name: string, ending: AbortController} | null} */
let sending = null;
/** Why the last file was not taken. @type {{title: string, why: string} | null} */
let refusal = null;

const title = el("p", { class: "qc-card-title", dir: "auto" });
const counts = el("p", { class: "qc-import-counts qc-number" });
const why = el("p", { class: "qc-card-why", dir: "auto" });
const bar = el("span");
const track = el("div", { class: "qc-bar", role: "progressbar", "aria-labelledby": "import-title" }, bar);
const failures = el("ul");
const folded = el("details", {}, el("summary", { text: words.failures }), failures);
const button = el("button", { type: "button", class: "qc-button", onClick: () => void end() }, words.dismiss);
title.id = "import-title";

/** What `failures` shows, so that it is drawn once. @type {string} */
let drawnFailures = "";

/** Above the foot of the side bar. */
export const importCard = el(
  "section",
  { class: "qc-import", id: "import-card", "aria-label": words.label, hidden: true },
  el("div", { role: "status" }, title),
  track,
  counts,
  why,
  folded,
  button,
);

export function startImportCard() {
  on("import", draw);
}

/** A file is being sent. @param {string} name @returns {AbortSignal} aborted by Cancel */
export function startSending(name) {
  sending = { name, ending: new AbortController() };
  refusal = null;
  draw();
  return sending.ending.signal;
}

/** It is there, or was not wanted any more. @param {import("./types.js").Import | null} begun */
export function sendingEnded(begun) {
  sending = null;
  // The socket may have told of it already, and of more.
  if (begun && state.import?.name !== begun.name) state.import = begun;
  emit("import");
}

/** A file was not taken. @param {string} heading @param {string} reason */
export function sendingFailed(heading, reason) {
  sending = null;
  refusal = { title: heading, why: reason };
  draw();
}

/** Cancel what runs, or clear away what has ended. */
async function end() {
  if (sending) return sending.ending.abort();
  if (refusal) {
    refusal = null;
    return draw();
  }
  const ended = state.import?.state !== "running";
  button.disabled = true;
  try {
    await api.endImport();
    if (ended) state.import = null; // of one that was cancelled the server tells how it ended
  } catch (error) {
    toast({ text: words.notEnded(reasonOf(error)) });
  }
  button.disabled = false;
  draw();
}

function draw() {
  const now = describe(state.import);
  importCard.hidden = now === null;
  if (!now) return;
  setText(title, now.title);
  setText(counts, now.counts);
  counts.hidden = !now.counts;
  setText(why, now.why);
  why.hidden = !now.why;
  drawBar(now.share);
  drawFailures(now.import);
  setText(button, now.share === undefined ? words.dismiss : words.cancel);
}

/**
 * `share` is left out when nothing runs, and null when it cannot be told.
 *
 * @typedef {{title: string, counts: string, why: string, share?: number | null,
 *   import: import("./types.js").Import | null}} Shown
 */

/** @param {import("./types.js").Import | null} current @returns {Shown | null} */
function describe(current) {
  const plain = { counts: "", why: "", import: null };
  if (sending) return { ...plain, title: words.sending(sending.name), share: null };
  if (refusal) return { ...plain, ...refusal };
  if (!current) return null;
  const shown = { counts: countsOf(current), import: current };
  const message = current.error?.message ?? "";
  switch (current.state) {
    case "running":
      return {
        ...shown,
        title: words.running(current.name),
        why: "",
        share: current.total > 0 ? Math.min(1, current.done / current.total) : null,
      };
    case "done":
      return { ...shown, title: words.done(current.name), why: message };
    case "cancelled":
      return { ...shown, title: words.cancelled, why: words.keeps };
    default: {
      const nothing = current.imported + current.skipped === 0;
      if (!nothing) return { ...shown, title: words.failed, why: message };
      // One failure is what the message says already.
      const more = current.failures.length > 1 ? current : null;
      return { ...plain, title: words.refused(current.name), why: message, import: more };
    }
  }
}

/** @param {import("./types.js").Import} current */
function countsOf({ imported, skipped, failed }) {
  const parts = [words.imported(imported)];
  if (skipped) parts.push(words.skipped(skipped));
  if (failed) parts.push(words.notImported(failed));
  return parts.join(" · ");
}

/** @param {number | null | undefined} share */
function drawBar(share) {
  track.hidden = share === undefined;
  track.toggleAttribute("data-indeterminate", share === null);
  if (typeof share === "number") track.setAttribute("aria-valuenow", String(Math.floor(100 * share)));
  else track.removeAttribute("aria-valuenow");
  bar.style.transform = typeof share === "number" ? `scaleX(${share})` : "";
}

/** @param {import("./types.js").Import | null} current */
function drawFailures(current) {
  const all = current?.failures ?? [];
  folded.hidden = all.length === 0;
  const key = JSON.stringify([all, current?.failed]);
  if (key === drawnFailures) return;
  drawnFailures = key;
  const items = all.map(({ where, reason }) =>
    el("li", {}, el("span", { class: "qc-where", dir: "auto", text: where }), el("span", { text: reason })),
  );
  const rest = (current?.failed ?? 0) - all.length;
  if (rest > 0) items.push(el("li", { text: words.moreFailures(rest) }));
  failures.replaceChildren(...items);
}
