/** One model on this machine: what it is, and what can be done with it. */

import { api, reasonOf } from "../api.js";
import { ask } from "../ask.js";
import { el, iconButton, setText } from "../dom.js";
import { copyText } from "../markdown/clipboard.js";
import { toggleMenu } from "../menu.js";
import { size } from "../numbers.js";
import { closePanel } from "../router.js";
import { state } from "../store.js";
import { strings } from "../strings.js";
import { toast } from "../toast.js";
import { createLoadOptions } from "./load-options.js";
import { createFit, createProblem, dotted, textButton } from "./parts.js";
import { switchTo } from "./switching.js";
import { createVerification } from "./verification.js";

/** @typedef {import("../types.js").Installed} Installed */

const words = strings.models;

export function createHereRow() {
  /** @type {Installed} */
  let model;
  const name = el("h3", { dir: "auto" });
  const meta = el("span", { class: "qc-number" });
  const fit = createFit();
  const inUse = el("span", { class: "qc-badge", text: words.inUse });
  const broken = createProblem();
  const refused = createProblem();
  const path = el("code", { class: "qc-path", dir: "ltr" });
  const place = el("div", { class: "qc-place" }, path,
    iconButton("copy", words.copyPath, () => void copyPath()));
  const options = createLoadOptions();
  const verification = createVerification(refused.update);
  const use = textButton(words.use, () => void load());
  const more = iconButton("more", "", () => toggleMenu(more, more.title, itemsOf(model)), {
    "aria-haspopup": "menu",
    "aria-expanded": "false",
  });

  /** What is in use is only loaded again where something about it is to be different. */
  function drawUse() {
    const label = model.in_use ? words.loadAgain : words.use;
    use.hidden = model.problem !== null || (model.in_use && !options.root.open);
    setText(use, label);
    use.setAttribute("aria-label", `${label}: ${model.name}`);
  }

  async function load() {
    use.disabled = true;
    const { begun, problem } = await switchTo({ id: model.id, name: model.name, ...options.chosen() });
    use.disabled = false;
    refused.update(problem);
    if (begun) closePanel();
  }

  async function copyPath() {
    toast({ text: (await copyText(model.path)) ? words.copied : words.notCopied });
  }

  /** @param {Installed} one @returns {import("../menu.js").Item[]} */
  function itemsOf(one) {
    /** @type {import("../menu.js").Item[]} */
    const items = [{ label: words.verify, icon: "check", run: () => void act(() => api.verifyModel(one.id)) }];
    if (state.library?.machine.can_reveal) {
      items.push({ label: words.reveal, icon: "folder", run: () => void act(() => api.revealModel(one.id)) });
    }
    if (one.deletable && !one.in_use) {
      items.push({ label: words.delete, icon: "trash", danger: true, run: () => void remove(one) });
    }
    return items;
  }

  /** @param {() => Promise<any>} request */
  async function act(request) {
    try {
      const answer = await request();
      refused.update("");
      return answer;
    } catch (error) {
      refused.update(reasonOf(error));
      return null;
    }
  }

  /** @param {Installed} one */
  async function remove(one) {
    const sure = await ask({
      title: words.deleteTitle(one.name),
      text: words.deleteText(one.size_bytes),
      yes: words.delete,
      danger: true,
    });
    const answer = sure && (await act(() => api.deleteModel(one.id)));
    if (!answer) return;
    toast({ text: words.deleted(one.name, answer.freed_bytes) });
    document.getElementById("models-tab-here")?.focus({ preventScroll: true });
  }

  options.root.addEventListener("toggle", drawUse);
  return {
    root: el(
      "li",
      { class: "qc-model-row" },
      el("div", { class: "qc-model-line" },
        el("div", { class: "qc-model-what" },
          el("div", { class: "qc-model-title" }, name, inUse),
          el("div", { class: "qc-hint qc-facts" }, meta, fit.word)),
        el("div", { class: "qc-actions" }, use, more)),
      fit.sentence,
      place,
      broken.root,
      refused.root,
      verification.root,
      options.root,
    ),
    /** @param {Installed} now */
    update(now) {
      model = now;
      setText(name, now.name);
      setText(meta, metaOf(now));
      inUse.hidden = !now.in_use;
      fit.update(now.fit);
      broken.update(now.problem ?? "");
      drawUse();
      more.title = words.more(now.name);
      more.setAttribute("aria-label", more.title);
      place.hidden = Boolean(state.library?.machine.can_reveal);
      setText(path, now.path);
      options.update(now);
      verification.update(now);
    },
  };
}

/** @param {Installed} model */
const metaOf = (model) =>
  dotted([
    model.where,
    model.size_bytes > 0 && size(model.size_bytes),
    model.last_used === null ? words.notUsed : words.used(model.last_used),
    model.speed && strings.speed.about(model.speed.expected),
  ]);
