// @ts-check
/**
 * Formulas as models write them: `\( \)`, `\[ \]` and `$$ $$`. A single dollar sign is a
 * price. The rules only find formulas; formulas.js sets them.
 */

/**
 * For an attribute: the purifier removes those with `]>` or `-->`, which formulas may hold.
 *
 * @param {string} tex
 */
const encodeTex = (tex) => tex.replaceAll("&", "&amp;").replaceAll(">", "&gt;");

/** @param {string} encoded */
export const decodeTex = (encoded) => encoded.replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** @type {Record<string, string>} */
const CLOSING = { "\\(": "\\)", "\\[": "\\]", "$$": "$$" };

/**
 * Where the formula ends: `\\]` inside it is a line break and a bracket.
 *
 * @param {string} source @param {string} closing @param {number} from @param {number} end
 */
function findClosing(source, closing, from, end) {
  for (let at = source.indexOf(closing, from); at !== -1; at = source.indexOf(closing, at + 1)) {
    if (at + closing.length > end) return -1;
    let escapes = 0;
    while (source[at - 1 - escapes] === "\\" && at - 1 - escapes >= from) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return -1;
}

/**
 * A formula on lines of its own. It ends at its closing delimiter; an empty line first
 * means it was none. While the text is still growing it may end later.
 *
 * @param {any} state @param {number} startLine @param {number} endLine @param {boolean} silent
 */
function mathBlock(state, startLine, endLine, silent) {
  const { src, bMarks, tShift, eMarks, sCount } = state;
  const start = bMarks[startLine] + tShift[startLine];
  const opening = src.slice(start, start + 2);
  if (opening !== "$$" && opening !== "\\[") return false;
  if (sCount[startLine] - state.blkIndent >= 4) return false;

  let line = startLine;
  let from = start + 2;
  let closing = -1;
  for (;;) {
    closing = findClosing(src, CLOSING[opening], from, eMarks[line]);
    if (closing !== -1) break;
    line++;
    if (line >= endLine) {
      if (!state.env.growing || line < state.env.lineCount) return false;
      break;
    }
    if (state.isEmpty(line) || sCount[line] < state.blkIndent) return false;
    from = bMarks[line] + tShift[line];
  }
  const isClosed = closing !== -1;
  if (isClosed && src.slice(closing + 2, eMarks[line]).trim()) return false;
  const end = isClosed ? line + 1 : line;
  const written = state.getLines(startLine, end, sCount[startLine], false).trim();
  const tex = written.slice(2, isClosed ? -2 : undefined).trim();
  if (isClosed && !tex) return false;
  if (silent) return true;

  const token = state.push(isClosed ? "math_block" : "math_block_open_ended", "div", 0);
  token.block = true;
  token.content = tex;
  token.markup = written;
  token.map = [startLine, end];
  token.meta = { isUndecided: !isClosed };
  state.line = end;
  return true;
}

/** @param {any} state @param {boolean} silent */
function mathInline(state, silent) {
  const { src, pos, posMax } = state;
  const opening = src.slice(pos, pos + 2);
  const closingMark = CLOSING[opening];
  if (!closingMark) return false;
  const closing = findClosing(src, closingMark, pos + 2, posMax);
  const isClosed = closing !== -1;
  if (!isClosed && !state.env.inlineIsGrowing) return false;
  const end = isClosed ? closing + 2 : posMax;
  const tex = src.slice(pos + 2, isClosed ? closing : end).trim();
  if (!tex) return false;
  if (!silent) {
    const token = state.push(isClosed ? "math_inline" : "math_inline_open_ended", "span", 0);
    token.content = tex;
    token.markup = src.slice(pos, end);
    token.info = opening === "\\(" ? "" : "display";
  }
  state.pos = end;
  return true;
}

/** @param {any} md */
export function addMathSyntax(md) {
  const { escapeHtml } = md.utils;
  md.block.ruler.before("fence", "math_block", mathBlock, {
    alt: ["paragraph", "reference", "blockquote", "list"],
  });
  md.inline.ruler.before("escape", "math_inline", mathInline);

  const { rules } = md.renderer;
  rules.math_block = (/** @type {any[]} */ tokens, /** @type {number} */ i) =>
    `<div class="qc-math qc-math-display" data-tex="${escapeHtml(encodeTex(tokens[i].content))}">` +
    `${escapeHtml(tokens[i].markup)}</div>\n`;
  rules.math_inline = (/** @type {any[]} */ tokens, /** @type {number} */ i) =>
    `<span class="qc-math${tokens[i].info ? " qc-math-display" : ""}" ` +
    `data-tex="${escapeHtml(encodeTex(tokens[i].content))}">${escapeHtml(tokens[i].markup)}</span>`;
  rules.math_block_open_ended = (/** @type {any[]} */ tokens, /** @type {number} */ i) =>
    `<div class="qc-math-display qc-math-growing">${escapeHtml(tokens[i].content)}</div>\n`;
  rules.math_inline_open_ended = (/** @type {any[]} */ tokens, /** @type {number} */ i) =>
    `<span class="qc-math-growing">${escapeHtml(tokens[i].content)}</span>`;
}
