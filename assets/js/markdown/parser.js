// @ts-check
/** From markdown to the HTML of its top-level blocks. The only module that knows the parser. */

import MarkdownIt from "../../vendor/markdown-it/markdown-it.min.js";
import { allowEmphasisInCjk, endAddressesAtCjkPunctuation } from "./cjk.js";
import { speakDialect } from "./dialect.js";
import { holdBack, showGrowingText } from "./growing.js";
import { addMathSyntax } from "./math-syntax.js";

/** @typedef {{href: string, title: string}} Reference */
/** @typedef {Record<string, Reference>} References */

/**
 * @typedef {object} Block
 * @property {string} html one element
 * @property {number} start its first line
 * @property {number} end the line after its last
 * @property {boolean} isUndecided it may turn out to belong to the block above
 */

/**
 * @typedef {object} Parsed
 * @property {Block[]} blocks
 * @property {{label: string, reference: Reference, end: number}[]} definitions
 */

const md = new /** @type {any} */ (MarkdownIt)({
  html: false,
  linkify: true,
  breaks: true,
  typographer: false,
});
md.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
for (const schema of ["//", "ftp:"]) md.linkify.add(schema, null);
allowEmphasisInCjk(md);
endAddressesAtCjkPunctuation(md);
addMathSyntax(md);
speakDialect(md);
showGrowingText(md);

// Reference definitions leave no token behind; keep which lines they were on.
md.core.ruler.before("strip_references", "note_references", (/** @type {any} */ state) => {
  for (const { type, meta, map } of state.tokens) {
    if (type !== "reference_definition") continue;
    const reference = state.env.references[meta.label];
    state.env.definitions.push({ label: meta.label, reference, end: map[1] });
  }
});

/** @param {string} source */
function countLines(source) {
  let count = 0;
  for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1)) count++;
  return source === "" || source.endsWith("\n") ? count : count + 1;
}

/** @param {any[]} tokens @param {any} env @returns {Block[]} */
function topLevelBlocks(tokens, env) {
  const blocks = [];
  for (let i = 0; i < tokens.length; i++) {
    const first = i;
    if (tokens[i].nesting === 1) {
      do i++;
      while (tokens[i].level > 0 || tokens[i].nesting !== -1);
    }
    const [start, end] = tokens[first].map;
    blocks.push({
      html: md.renderer.render(tokens.slice(first, i + 1), md.options, env),
      start,
      end,
      isUndecided: Boolean(tokens[first].meta?.isUndecided),
    });
  }
  return blocks;
}

/**
 * @param {string} source
 * @param {object} options
 * @param {boolean} options.growing more text may follow: show halves as wholes
 * @param {References} options.references defined above; definitions here are not added
 * @param {import("./dialect.js").Labels} options.labels
 * @returns {Parsed}
 */
export function parse(source, { growing, references, labels }) {
  const shown = growing ? holdBack(source) : source;
  const env = {
    growing,
    lineCount: countLines(shown),
    references: Object.create(references),
    definitions: [],
    labels,
  };
  const tokens = md.parse(shown, env);
  return { blocks: topLevelBlocks(tokens, env), definitions: env.definitions };
}
