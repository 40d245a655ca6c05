/** Every word about models, downloads and the check of this machine; in English. */

import { counted, number, percent, roughly, size, tenth, timeLeft } from "../../numbers.js";

const DAY = 86_400;

/** @param {number} at  When something was used, in seconds since 1970. */
function used(at) {
  const days = Math.floor((Date.now() / 1000 - at) / DAY);
  if (days < 1) return "used today";
  return days === 1 ? "used yesterday" : `used ${number(days)} days ago`;
}

export const models = {
  picker: {
    label: "Choose a model",
    get: "Download a model…",
    here: "Models on this machine…",
    doctor: "Check this machine (doctor)…",
    weights: (/** @type {string} */ weights) => `Runs in ${weights}`,
    inUse: "in use",
  },

  ask: { cancel: "Cancel", close: "Close" },

  switching: {
    title: (/** @type {string} */ name) => `Switch to ${name}`,
    running: "An answer is being written. It stops and keeps its text; Continue goes on later.",
    switch: "Switch",
    refused: (/** @type {string} */ name) => `${name} was not loaded`,
    bar: "Loading the model",
  },

  fit: {
    fits: "fits",
    tight: "tight",
    does_not_fit: "does not fit",
    why: (/** @type {string} */ word) => `${word}: show why`,
  },

  speed: {
    about: (/** @type {number} */ expected) =>
      `about ${roughly(expected)} ${roughly(expected) === "1" ? "token/s" : "tokens/s"}`,
    range: (/** @type {number} */ least, /** @type {number} */ most) =>
      `(${roughly(least)} to ${roughly(most)})`,
  },

  models: {
    label: "Models",
    close: "Close",
    tabs: { here: "On this machine", get: "Get more", doctor: "Check this machine" },
    reading: "Looking at the models…",
    notRead: (/** @type {string} */ why) => `The models could not be read. ${why}`,
    again: "Try again",
    none: "No model is on this machine yet.",
    getOne: "Get a model",
    disk: (/** @type {number} */ bytes) => `${size(bytes)} free on the disk`,
    notUsed: "not used yet",
    used,
    inUse: "In use",
    use: "Use",
    loadAgain: "Load again",
    verify: "Verify the files",
    delete: "Delete",
    reveal: "Show folder",
    more: (/** @type {string} */ name) => `More for ${name}`,
    copyPath: "Copy the path",
    copied: "Copied the path.",
    notCopied: "The browser did not allow copying.",
    options: "Load options",
    contextLength: "Context length",
    automatic: "Automatic",
    longest: (/** @type {number} */ tokens) => `At most ${number(tokens)} tokens. Empty is automatic.`,
    dtype: "Number format",
    dtypes: { auto: "Automatic", bfloat16: "bfloat16", float16: "float16", float32: "float32" },
    deleteTitle: (/** @type {string} */ name) => `Delete ${name}`,
    deleteText: (/** @type {number} */ bytes) =>
      `Its files are deleted, which frees ${size(bytes)}. To have it again it must be downloaded again.`,
    deleted: (/** @type {string} */ name, /** @type {number} */ bytes) =>
      `Deleted ${name}. ${size(bytes)} are free again.`,
    verifying: (/** @type {number} */ total) =>
      total ? `Reading all ${size(total)}` : "Reading the files",
    whole: "All files are right.",
    damaged: (/** @type {number} */ files) => `${counted(files, "file is", "files are")} damaged:`,
    fetchAgain: "Fetch those again",
    verifyCancelled: "The check was cancelled.",
    dismiss: "Dismiss",
    cancel: "Cancel",
  },

  get: {
    best: "Best for this machine",
    why: (/** @type {string} */ fit) => `The most capable model that answers fast enough here. ${fit}`,
    here: (/** @type {string} */ speed) => `${speed} here`,
    download: "Download",
    resume: "Resume",
    toDownload: (/** @type {number} */ bytes) => `${size(bytes)} to download`,
    methods: {
      none: "Full",
      "gptq-int4": "GPTQ 4-bit",
      "awq-int4": "AWQ 4-bit",
      "int8-w8a8": "W8A8 8-bit",
      fp8: "FP8 8-bit",
    },
    parameters: (/** @type {number} */ count) =>
      count >= 1e9
        ? `${tenth(count / 1e9)} billion parameters`
        : `${number(Math.round(count / 1e6))} million parameters`,
    context: (/** @type {number} */ tokens) => `context ${number(tokens)}`,
    yarn: (/** @type {number} */ tokens) => `up to ${number(tokens)} with YaRN`,
    languages: (/** @type {number} */ count) => counted(count, "language", "languages"),
    languagesOf: (/** @type {string[]} */ names, /** @type {number} */ count) =>
      names.length < count ? `${names.join(", ")} and more` : names.join(", "),
    thinking: {
      none: "answers at once",
      hybrid: "thinks when asked to",
      thinking_only: "always thinks first",
    },
    notCompared: "not yet compared with ModelScope; this is done when you press Download",
    noneCompared:
      "These models are not yet compared with ModelScope; this is done when you press Download.",
    cannot: (/** @type {number} */ count) =>
      count === 1 ? "1 that does not run here" : `${number(count)} that do not run here`,
    nearest: (/** @type {string} */ id) => `Nearest that does: ${id}`,
    onlyFitting: "Fits this machine",
    search: "Filter",
    searchLabel: "Filter the models by name",
    nothing: "No model matches.",
    showAll: "Show all",
    offline: "QwenChat is set to stay offline, so nothing can be downloaded.",
    anyLabel: "Any ModelScope id or a folder on this machine",
    anyPlaceholder: "owner/name or /path/to/folder",
    check: "Check",
    checking: "Checking…",
    runs: "Runs here",
    runsNot: "Does not run here",
    ownCode:
      "It brings Python code of its own. Such code could do anything on this machine, so QwenChat never runs it.",
    there: "It is on this machine already.",
    checkNearest: (/** @type {string} */ id) => `Check ${id}`,
    more: (/** @type {string} */ name) => `More about ${name}`,
  },

  downloads: {
    label: "Downloads",
    title: (/** @type {number} */ count) =>
      count === 1 ? "1 download" : `${number(count)} downloads`,
    open: (/** @type {string} */ title, /** @type {number} */ share) =>
      `${title}, ${percent(share)}. Show downloads`,
    of: (/** @type {number} */ done, /** @type {number} */ total) =>
      total ? `${size(done)} of ${size(total)}` : "",
    rate: (/** @type {number} */ rate) => `${size(rate)}/s`,
    left: (/** @type {number} */ seconds) => `${timeLeft(seconds)} left`,
    checked: (/** @type {number} */ done, /** @type {number} */ total) =>
      total ? `${size(done)} of ${size(total)} compared` : "",
    states: {
      queued: "Waiting for its turn",
      running: "Downloading",
      paused: "Paused",
      verifying: "Comparing with ModelScope",
      failed: "Stopped",
      done: "Done",
      cancelled: "Cancelled",
    },
    files: (/** @type {number} */ done, /** @type {number} */ all) =>
      `${number(done)} of ${counted(all, "file", "files")}`,
    fileStates: { waiting: "waiting", arriving: "arriving", checking: "comparing", done: "done" },
    pause: "Pause",
    resume: "Resume",
    retry: "Retry",
    cancel: "Cancel",
    cancelTitle: (/** @type {string} */ name) => `Cancel the download of ${name}`,
    cancelText: (/** @type {number} */ bytes) =>
      bytes ? `The ${size(bytes)} that have arrived are deleted.` : "Nothing has arrived yet.",
    cancelGo: "Cancel the download",
    keep: "Keep it",
    ready: (/** @type {string} */ name) => `${name} is ready.`,
    use: "Use",
    saysState: (/** @type {string} */ name, /** @type {string} */ state) => `${name}: ${state}`,
    notDone: (/** @type {string} */ why) => `That did not work. ${why}`,
  },

  offer: {
    label: "A better model",
    title: (/** @type {string} */ name) => `A better model for this machine: ${name}`,
    download: "Download",
    all: "All models",
    notNow: "Not now",
    show: "Show downloads",
    arriving: (/** @type {number} */ share) => `Downloading: ${percent(share)}`,
  },

  doctor: {
    looking: "Looking at this machine. This takes up to half a minute.",
    notDone: (/** @type {string} */ why) => `This machine could not be checked. ${why}`,
    again: "Check again",
    copy: "Copy as text",
    copied: "Copied the report.",
    notCopied: "The browser did not allow copying.",
    words: { ok: "ok", warning: "warning", problem: "problem" },
    all: "Everything is in order.",
    counts: (/** @type {number} */ warnings, /** @type {number} */ problems) =>
      [
        problems && counted(problems, "problem", "problems"),
        warnings && counted(warnings, "warning", "warnings"),
      ].filter(Boolean).join(" and "),
    guide: "Each failure is explained in docs/cpu-guide.md.",
    groups: {
      attention: "What to look at",
      machine: "Machine",
      packages: "Installation",
      runtime: "Surroundings of the engine",
      data: "Data, port and models",
    },
    todo: (/** @type {string} */ fix) => `What to do: ${fix}`,
  },
};
