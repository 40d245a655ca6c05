/** System prompts and tools' words that came with an import: a quiet folded block. */

import { copyButton, createVersions, moreButton } from "./message-foot.js";
import { el, setDirection } from "./dom.js";
import { strings } from "./strings.js";

/** @param {import("./types.js").Message} first */
export function asideView(first) {
  let message = first;
  const get = () => message;
  const body = el("div", { class: "qc-user-text", text: first.content });
  setDirection(body, first.content);
  const versions = createVersions(get);
  const title = first.role === "system" ? strings.message.system : strings.message.tool;
  const fold = el("details", { class: "qc-aside" }, el("summary", { text: title }), body);
  const foot = el("div", { class: "qc-foot" }, versions.root, copyButton(() => message.content), moreButton(get));
  const nothing = () => {};
  return {
    root: el("article", {}, fold, foot),
    /** @param {import("./types.js").Message} next */
    update(next) {
      message = next;
      versions.update();
    },
    append: nothing,
    progress: nothing,
    end: nothing,
    edit: nothing,
    unfold: () => (fold.open = true),
  };
}
