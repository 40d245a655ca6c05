/** How a model is to be loaded, for those who want it otherwise than by itself: folded. */

import { el, setText } from "../dom.js";
import { state } from "../store.js";
import { strings } from "../strings.js";

const words = strings.models;
const SHORTEST = 256;
const STEP = 256;

let count = 0;

export function createLoadOptions() {
  const id = `load-options-${++count}`;
  const length = el("input", { type: "number", id: `${id}-length`, min: SHORTEST, step: STEP,
    inputmode: "numeric", placeholder: words.automatic, "aria-describedby": `${id}-hint` });
  const hint = el("span", { class: "qc-hint qc-number", id: `${id}-hint` });
  const dtype = el("select", { id: `${id}-dtype` },
    ...Object.entries(words.dtypes).map(([value, text]) => el("option", { value, text })));
  const root = el(
    "details",
    { class: "qc-load-options" },
    el("summary", { text: words.options }),
    el("div", { class: "qc-field" }, el("label", { for: length.id, text: words.contextLength }), length, hint),
    el("div", { class: "qc-field" }, el("label", { for: dtype.id, text: words.dtype }), dtype),
  );
  let filled = false;
  return {
    root,
    /** Only what the person set. */
    chosen: () => ({
      ...(length.value ? { context_length: length.valueAsNumber } : {}),
      ...(dtype.value === "auto" ? {} : { dtype: /** @type {import("../types.js").Dtype} */ (dtype.value) }),
    }),
    /** @param {import("../types.js").Installed} model */
    update(model) {
      root.hidden = model.problem !== null;
      const longest = model.fit?.longest_context || model.context;
      if (longest) length.max = String(longest);
      setText(hint, longest ? words.longest(longest) : "");
      const { choice } = state;
      if (filled || !model.in_use || !choice) return;
      filled = true;
      length.value = choice.context_length === null ? "" : String(choice.context_length);
      dtype.value = choice.dtype;
    },
  };
}
