/** The check of a model's files: how far it is, what came of it, and the way to mend them. */

import { api, reasonOf } from "../api.js";
import { el, setText } from "../dom.js";
import { state } from "../store.js";
import { strings } from "../strings.js";
import { begin } from "./downloads.js";
import { createBar, textButton } from "./parts.js";

const words = strings.models;

/** @param {(problem: string) => void} onProblem  Where the row says what did not work. */
export function createVerification(onProblem) {
  const text = el("p");
  const bar = createBar(words.verify);
  const files = el("ul", { class: "qc-damaged" });
  const fetchAgain = textButton(words.fetchAgain, () => void mend());
  const end = textButton(words.dismiss, () => void clear());
  const root = el("div", { class: "qc-verification", hidden: true },
    el("div", { role: "status" }, text), bar.root, files,
    el("div", { class: "qc-actions" }, fetchAgain, end));
  let id = "";
  let drawn = "";

  async function mend() {
    onProblem(await begin(id, { check: true }));
    await clear();
  }

  async function clear() {
    try {
      await api.endVerification();
      onProblem("");
    } catch (error) {
      onProblem(reasonOf(error));
    }
  }

  return {
    root,
    /** @param {import("../types.js").Installed} model */
    update(model) {
      const now = state.verification?.model === model.id ? state.verification : null;
      root.hidden = !now;
      if (!now) return;
      ({ id } = model);
      const running = now.state === "running";
      bar.root.hidden = !running;
      bar.update(now.total ? now.done / now.total : null);
      setText(end, running ? words.cancel : words.dismiss);
      fetchAgain.hidden = !(now.damaged.length && model.deletable && state.library?.machine.offline === false);
      root.dataset.result = running ? "" : now.state === "done" && !now.damaged.length ? "whole" : "problem";
      // The bar shows how far it is: a status that changes is read out each time.
      setText(text, textOf(now));
      const key = JSON.stringify(now.damaged);
      if (key === drawn) return;
      drawn = key;
      files.replaceChildren(...now.damaged.map(({ path, reason }) =>
        el("li", {}, el("code", { dir: "auto", text: path }), el("span", { dir: "auto", text: ` ${reason}` }))));
    },
  };
}

/** @param {import("../types.js").Verification} now */
function textOf(now) {
  switch (now.state) {
    case "running":
      return words.verifying(now.total);
    case "failed":
      return now.error?.message ?? "";
    case "cancelled":
      return words.verifyCancelled;
    default:
      return now.damaged.length ? words.damaged(now.damaged.length) : words.whole;
  }
}
