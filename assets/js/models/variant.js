/** One set of a model's weights that can be downloaded: a line of its row. */

import { el, setText } from "../dom.js";
import { size } from "../numbers.js";
import { strings } from "../strings.js";
import { createFetchButton } from "./fetch-button.js";
import { createFit, createProblem } from "./parts.js";

/** @typedef {import("../types.js").Variant} Variant */

const words = strings.get;

/** @param {() => string} nameOfModel */
export function createVariant(nameOfModel) {
  const problem = createProblem();
  const fetch = createFetchButton(problem.update);
  const method = el("span", { class: "qc-variant-method" });
  const bytes = el("span", { class: "qc-number" });
  const fit = createFit();
  const speed = el("span", { class: "qc-number" });
  const root = el(
    "li",
    { class: "qc-variant" },
    el("div", { class: "qc-variant-line" }, method, bytes, fit.word, speed, fetch.root),
    fit.sentence,
    problem.root,
  );
  return {
    root,
    /** @param {Variant} variant */
    update(variant) {
      root.dataset.variant = variant.id;
      const called = words.methods[variant.method];
      setText(method, called);
      method.title = variant.id;
      setText(bytes, size(variant.download_bytes));
      fit.update(variant.fit);
      const { expected, least, most } = variant.speed;
      setText(speed, `${strings.speed.about(expected)} ${strings.speed.range(least, most)}`);
      fetch.update(variant.id, `${nameOfModel()} ${called}`, variant.installed);
    },
  };
}
