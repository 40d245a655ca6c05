/** The downloads in the head of the models' panel: one bar for all, one row for each. */

import { el, setText } from "../dom.js";
import { on } from "../store.js";
import { strings } from "../strings.js";
import { cancel, change, isActive, shareOf, unfinished } from "./downloads.js";
import { nameOf } from "./library.js";
import { createBar, createList, createProblem, dotted, textButton } from "./parts.js";
import { percent, size } from "../numbers.js";

/** @typedef {import("../types.js").Download} Download */

const words = strings.downloads;

const title = el("h3", { class: "qc-number" });
const bar = createBar(words.label);
const list = el("ul", { class: "qc-downloads-list" });

export const downloadsView = el(
  "section",
  { class: "qc-downloads", id: "downloads", "aria-label": words.label, hidden: true },
  title,
  bar.root,
  list,
);

const drawList = createList(list, createDownload, (/** @type {Download} */ { id }) => id);

export function startDownloadsView() {
  on("downloads", draw);
  draw();
}

function draw() {
  const all = unfinished();
  downloadsView.hidden = all.length === 0;
  const share = shareOf(all);
  setText(title, dotted([words.title(all.length), share !== null && percent(share)]));
  bar.update(share ?? (all.some(isActive) ? null : 0));
  drawList(all);
}

/** @param {string} id */
function createDownload(id) {
  const state = el("span", { class: "qc-download-state" });
  const counts = el("p", { class: "qc-hint qc-number" });
  const note = el("p", { class: "qc-hint", dir: "auto" });
  const problem = createProblem();
  const refused = createProblem();
  const files = el("ul", { class: "qc-download-files" });
  const summary = el("summary", { class: "qc-number" });
  const folded = el("details", {}, summary, files);
  /** @type {Download} */
  let now;
  const act = async (/** @type {Promise<string>} */ done) => refused.update(await done);
  const pause = textButton(words.pause, () => void act(change("pause", id)));
  const resume = textButton(words.resume, () => void act(change("resume", id)));
  resume.hidden = true;
  const stop = textButton(words.cancel, () => void act(cancel(now)));
  const drawFiles = createList(files, createFile, (/** @type {Download["files"][0]} */ { path }) => path);
  const root = el(
    "li",
    { class: "qc-download", "data-download": id },
    el("div", { class: "qc-download-head" },
      el("span", { class: "qc-download-name", dir: "auto", title: id, text: nameOf(id) }),
      state,
      el("div", { class: "qc-actions" }, pause, resume, stop)),
    counts,
    note,
    problem.root,
    refused.root,
    folded,
  );
  folded.addEventListener("toggle", () => folded.open && drawFiles(now.files));
  return {
    root,
    /** @param {Download} download */
    update(download) {
      now = download;
      root.dataset.state = download.state;
      setText(state, words.states[download.state]);
      setText(counts, countsOf(download));
      counts.hidden = !counts.textContent;
      setText(note, download.note);
      note.hidden = !download.note;
      problem.update(download.error?.message ?? "");
      swap(pause, resume, isActive(download));
      setText(resume, download.state === "failed" ? words.retry : words.resume);
      folded.hidden = download.files.length === 0;
      const done = download.files.filter((file) => file.state === "done").length;
      setText(summary, words.files(done, download.files.length));
      if (folded.open) drawFiles(download.files);
    },
  };
}

/**
 * One of the two is there; the focus goes over to it.
 *
 * @param {HTMLElement} one
 * @param {HTMLElement} other
 * @param {boolean} first
 */
function swap(one, other, first) {
  if (one.hidden !== first) return;
  const [shown, gone] = first ? [one, other] : [other, one];
  const focused = gone === document.activeElement;
  shown.hidden = false;
  gone.hidden = true;
  if (focused) shown.focus({ preventScroll: true });
}

/** @param {Download} download */
function countsOf(download) {
  if (download.state === "verifying") {
    return words.checked(download.checked_bytes, download.to_check_bytes);
  }
  const runs = download.state === "running";
  return dotted([
    words.of(download.done_bytes, download.total_bytes),
    runs && download.bytes_per_second > 0 && words.rate(download.bytes_per_second),
    runs && download.seconds_left !== null && words.left(download.seconds_left),
  ]);
}

/** @param {string} path */
function createFile(path) {
  const far = el("span", { class: "qc-number" });
  return {
    root: el("li", {}, el("span", { dir: "auto", text: path }), far),
    /** @param {Download["files"][0]} file */
    update(file) {
      const whole = file.state === "done" || file.state === "waiting";
      const amount = whole ? size(file.size) : `${size(file.done)} / ${size(file.size)}`;
      setText(far, dotted([amount, words.fileStates[file.state]]));
    },
  };
}
