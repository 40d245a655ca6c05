/** The one button of a model that may or may not be here: download it, see how far it is, use it. */

import { el, setText } from "../dom.js";
import { percent } from "../numbers.js";
import { closePanel } from "../router.js";
import { state } from "../store.js";
import { strings } from "../strings.js";
import { begin, change, isActive, shareOf, unfinishedOf } from "./downloads.js";
import { installedOf } from "./library.js";
import { textButton } from "./parts.js";
import { switchTo } from "./switching.js";

/** @typedef {"use"|"in use"|"arriving"|"resume"|"download"} Step */

/**
 * @param {(problem: string) => void} onProblem  Where it is said what did not work; "" is nothing.
 * @param {boolean} [primary]
 */
export function createFetchButton(onProblem, primary = false) {
  let id = "";
  let name = "";
  /** @type {Step} */
  let step = "download";
  let pressed = false;
  const button = textButton(strings.get.download, () => void press(), { class: primary ? "qc-primary" : "" });
  const far = el("span", { class: "qc-hint qc-number" });
  const root = el("div", { class: "qc-fetch" }, button, far);

  async function press() {
    if (pressed) return;
    pressed = true;
    onProblem("");
    onProblem(await act());
    pressed = false;
  }

  async function act() {
    if (step === "download") return begin(id);
    if (step === "resume") return change("resume", id);
    const { begun, problem } = await switchTo({ id, name });
    if (begun) closePanel();
    return problem;
  }

  return {
    root,
    /** @param {string} now @param {string} called @param {boolean} here  It is on this machine. */
    update(now, called, here) {
      id = now;
      name = called;
      const download = unfinishedOf(id);
      step = stepOf(id, here);
      const share = download ? shareOf([download]) : null;
      const label = { use: strings.models.use, resume: strings.get.resume, download: strings.get.download,
        "in use": "", arriving: "" }[step];
      const words = { "in use": strings.models.inUse,
        arriving: share === null ? strings.downloads.states.queued : strings.offer.arriving(share),
        resume: share === null ? "" : percent(share), use: "", download: "" }[step];
      const focused = button === document.activeElement;
      button.hidden = !label;
      if (focused && !label) focusTab();
      if (label) {
        setText(button, label);
        button.setAttribute("aria-label", `${label}: ${name}`);
      }
      button.disabled = step === "download" && Boolean(state.library?.machine.offline);
      setText(far, words);
      far.hidden = !words;
    },
  };
}

/** Where the focus goes from a button that is gone. */
function focusTab() {
  const tab = document.querySelector("#models-panel [aria-selected=true]");
  /** @type {HTMLElement | null} */ (tab)?.focus({ preventScroll: true });
}

/** @param {string} id @param {boolean} here @returns {Step} */
function stepOf(id, here) {
  const download = unfinishedOf(id);
  if (download) return isActive(download) ? "arriving" : "resume";
  if (installedOf(id)?.in_use) return "in use";
  return here ? "use" : "download";
}
