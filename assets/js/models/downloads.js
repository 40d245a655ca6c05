/** The downloads of this app: which there are, what the person does to them, news of them. */

import { api, reasonOf } from "../api.js";
import { ask } from "../ask.js";
import { el } from "../dom.js";
import { on, state } from "../store.js";
import { strings } from "../strings.js";
import { toast } from "../toast.js";
import { nameOf } from "./library.js";
import { switchFromAnywhere } from "./switching.js";

/** @typedef {import("../types.js").Download} Download */

const words = strings.downloads;
const ACTIVE = new Set(["queued", "running", "verifying"]);

/** What a screen reader hears: how a download stands when that changes, and no numbers. */
export const downloadsAnnouncer = el("div", { id: "downloads-announcer", class: "qc-hidden",
  role: "status", "aria-live": "polite" });

/** State of each download when it was last heard of. @type {Map<string, Download["state"]>} */
let before = new Map();

export function startDownloads() {
  on("downloads", () => {
    for (const download of state.downloads) tellOf(download, before.get(download.id));
    before = new Map(state.downloads.map(({ id, state: now }) => [id, now]));
  });
}

/** @param {Download} download @param {Download["state"] | undefined} earlier */
function tellOf({ id, state: now }, earlier) {
  if (earlier === undefined || earlier === now) return;
  if (now === "done" && ACTIVE.has(earlier)) {
    toast({
      text: words.ready(nameOf(id)),
      action: { label: words.use, run: () => void switchFromAnywhere(id, nameOf(id)) },
    });
  } else {
    downloadsAnnouncer.textContent = words.saysState(nameOf(id), words.states[now]);
  }
}

/** Those that are not over. */
export const unfinished = () =>
  state.downloads.filter((download) => !["done", "cancelled"].includes(download.state));

/** @param {string} id */
export const unfinishedOf = (id) => unfinished().find((download) => download.id === id);

/** Whether a download goes on by itself. @param {Download} download */
export const isActive = (download) => ACTIVE.has(download.state);

/** How much of these is there; null where no size is known. @param {Download[]} downloads */
export function shareOf(downloads) {
  let done = 0;
  let total = 0;
  for (const download of downloads) {
    done += download.done_bytes;
    total += download.total_bytes;
  }
  return total ? Math.min(1, done / total) : null;
}

/** @param {string} id @param {{check?: boolean}} [options] @returns {Promise<string>} why not, or "" */
export async function begin(id, { check = false } = {}) {
  return attempt(() => api.download(id, check));
}

/** @param {"pause"|"resume"} what @param {string} id */
export const change = (what, id) => attempt(() => api.changeDownload(what, id));

/** Ask, then end a download and delete what has arrived. @param {Download} download */
export async function cancel({ id, done_bytes: arrived }) {
  const sure = await ask({
    title: words.cancelTitle(nameOf(id)),
    text: words.cancelText(arrived),
    yes: words.cancelGo,
    no: words.keep,
    danger: true,
  });
  return sure ? attempt(() => api.changeDownload("cancel", id)) : "";
}

/** @param {() => Promise<any>} request */
async function attempt(request) {
  try {
    await request();
    return "";
  } catch (error) {
    return reasonOf(error);
  }
}
