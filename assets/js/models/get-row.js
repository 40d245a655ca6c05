/** One model of the catalogue, with its variants and those that do not run here. */

import { el, setText } from "../dom.js";
import { strings } from "../strings.js";
import { createList, dotted } from "./parts.js";
import { createVariant } from "./variant.js";

/** @typedef {import("../types.js").Row} Row */
/** @typedef {import("../types.js").Cannot} Cannot */

/**
 * A row with what of it is to be seen.
 *
 * @typedef {{row: Row, variants: import("../types.js").Variant[], cannot: Cannot[],
 *   compared: boolean}} Shown  `compared`: it need not be said that it is not.
 */

const words = strings.get;

export function createGetRow() {
  let called = "";
  const name = el("h4", { dir: "auto" });
  const meta = el("p", { class: "qc-hint qc-number", dir: "auto" });
  const notCompared = el("p", { class: "qc-hint", text: words.notCompared });
  const variants = el("ul", { class: "qc-variants" });
  const summary = el("summary");
  const reasons = el("ul", { class: "qc-cannot" });
  const folded = el("details", {}, summary, reasons);
  const drawVariants = createList(variants, () => createVariant(() => called), (one) => one.id);
  const drawCannot = createList(reasons, createCannot, (/** @type {Cannot} */ { id }) => id);
  return {
    root: el("li", { class: "qc-get-row" }, name, meta, notCompared, variants, folded),
    /** @param {Shown} shown */
    update({ row, variants: some, cannot, compared }) {
      called = row.name;
      setText(name, row.name);
      setText(meta, metaOf(row));
      meta.title = words.languagesOf(row.languages, row.language_count);
      notCompared.hidden = compared;
      drawVariants(some);
      drawCannot(cannot);
      folded.hidden = cannot.length === 0;
      setText(summary, words.cannot(cannot.length));
    },
  };
}

/** @param {Row} row */
const metaOf = (row) =>
  dotted([
    words.parameters(row.parameters),
    words.context(row.context) + (row.context_yarn ? `, ${words.yarn(row.context_yarn)}` : ""),
    words.languages(row.language_count),
    words.thinking[row.thinking],
    row.licence,
  ]);

function createCannot() {
  const id = el("span", { class: "qc-cannot-id", dir: "auto" });
  const reason = el("p", { class: "qc-hint", dir: "auto" });
  const nearest = el("p", { class: "qc-hint", dir: "auto" });
  return {
    root: el("li", {}, id, reason, nearest),
    /** @param {Cannot} cannot */
    update(cannot) {
      setText(id, cannot.id);
      setText(reason, cannot.reason);
      setText(nearest, cannot.nearest ? words.nearest(cannot.nearest) : "");
      nearest.hidden = !cannot.nearest;
    },
  };
}
