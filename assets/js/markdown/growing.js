// @ts-check
/**
 * How text that is still being written is shown: half a construct looks like the whole one
 * it will most likely become, instead of flashing its raw marks. Nothing here acts when
 * `env.growing` is false, so the finished text is plain CommonMark.
 */

/** A last line that is only the beginning of a list mark, heading, fence, rule or table. */
const UNDECIDED_LINE =
  /(?:^|\n)[ \t>]*(?:[-*+_=#~`|:>$\\ \t]{1,6}|\d{1,4}[.)]?[ \t]*|[-*+] \[[ xX]?\]?[ \t]*|(?:[-*+]|\d{1,4}[.)]) [*_`~$\\[]{1,3}|(?:`{3,}|~{3,})[^`\n]*)$/;

/** Marks at the very end, of which nobody can say yet what they open or close. */
const UNDECIDED_END = /(?:[*_~`]+|\\|\${1,2}|!?\[)$/;

const UNDERSCORE = "_".charCodeAt(0);

/** Half a link: `[label](https://exam` or `[label]`; a number alone is a citation. */
const HALF_LINK = /^\[((?:[^[\]\\]|\\.)+)\](?:(?<!^\[[\d\s,-]+\])|\([^()\s]*)$/;
/** `![label` can only become a picture. */
const HALF_PICTURE = /^\[((?:[^[\]\\]|\\.)+)(?:\](?:\([^()\s]*)?)?$/;

/**
 * The text without a last line that could still become anything.
 *
 * @param {string} source
 */
export function holdBack(source) {
  const match = UNDECIDED_LINE.exec(source.slice(-200));
  if (!match) return source;
  const held = match[0].startsWith("\n") ? match[0].length - 1 : match[0].length;
  const isWholeLine = match[0].startsWith("\n") || held === source.length;
  return isWholeLine ? source.slice(0, source.length - held) : source;
}

/**
 * The run of text at the end of the document, if it is open.
 *
 * @param {any[]} tokens @param {number} lineCount
 */
function growingInline(tokens, lineCount) {
  for (let i = tokens.length - 1; i >= 0; i--) {
    const token = tokens[i];
    if (token.type === "inline") {
      if (!token.content) continue; // an empty cell at the end of a table row
      let map = token.map;
      for (let j = i; !map && j >= 0; j--) map = tokens[j].map;
      return map && map[1] >= lineCount ? token : null;
    }
    if (token.nesting === 0) return null; // code, a formula or a rule comes last
  }
  return null;
}

/** @param {any} state */
function parseInline(state) {
  const { tokens, env, md } = state;
  const growing = env.growing ? growingInline(tokens, env.lineCount) : null;
  for (const token of tokens) {
    if (token.type !== "inline") continue;
    env.inlineIsGrowing = token === growing;
    const content = env.inlineIsGrowing
      ? token.content.replace(UNDECIDED_END, "")
      : token.content;
    md.inline.parse(content, md, env, token.children);
  }
  env.inlineIsGrowing = false;
}

/** @param {any} state @param {boolean} silent */
function halfCode(state, silent) {
  if (!state.env.inlineIsGrowing || state.src[state.pos] !== "`") return false;
  const rest = state.src.slice(state.pos, state.posMax);
  const marks = /** @type {RegExpExecArray} */ (/^`+/.exec(rest))[0];
  const content = rest.slice(marks.length);
  const closings = content.match(/`+/g) ?? [];
  if (!content || content.includes("\n") || closings.includes(marks)) return false;
  if (!silent) state.push("code_inline", "code", 0).content = content;
  state.pos = state.posMax;
  return true;
}

/** @param {any} state @param {boolean} silent */
function halfLink(state, silent) {
  if (!state.env.inlineIsGrowing || state.linkLevel > 0) return false;
  const { pos, posMax } = state;
  const start = state.src[pos] === "!" ? pos + 1 : pos;
  if (state.src[start] !== "[") return false;
  const half = start === pos ? HALF_LINK : HALF_PICTURE;
  const match = half.exec(state.src.slice(start, posMax));
  if (!match) return false;
  if (!silent) {
    state.push("link_open", "a", 1);
    state.pos = start + 1;
    state.posMax = start + 1 + match[1].length;
    state.linkLevel++;
    state.md.inline.tokenize(state);
    state.linkLevel--;
    state.posMax = posMax;
    state.push("link_close", "a", -1);
  }
  state.pos = posMax;
  return true;
}

/**
 * Close emphasis that is still open at the end, innermost first.
 *
 * @param {any} state
 */
function closeEmphasis(state) {
  if (!state.env.inlineIsGrowing) return;
  const { delimiters, tokens } = state;
  const count = delimiters.length;
  /** @param {number} i */
  const isOpen = (i) => delimiters[i].open && delimiters[i].end === -1;
  /** @param {number} i */
  const isEnclosed = (i) =>
    delimiters.some((/** @type {any} */ d, /** @type {number} */ j) => j < i && d.end > i);
  /** `a*b` and `_name` are more likely a product and a name than emphasis. @param {number} i */
  const isDoubtful = (i) =>
    delimiters[i].length === 1 &&
    (delimiters[i].marker === UNDERSCORE ||
      /[\w)\]]$/.test(tokens[delimiters[i].token - 1]?.content ?? ""));
  for (let i = count - 1; i >= 0; i--) {
    if (!isOpen(i) || isEnclosed(i) || isDoubtful(i)) continue;
    const token = state.push("text", "", 0);
    delimiters[i].end = delimiters.length;
    delimiters.push({
      marker: delimiters[i].marker,
      length: 0,
      token: tokens.length - 1,
      end: -1,
      open: false,
      close: true,
    });
    token.content = "";
  }
}

/** @param {string} line */
function cells(line) {
  const parts = line.trim().split(/(?<!\\)\|/);
  if (parts[0] === "") parts.shift();
  if (parts.at(-1) === "") parts.pop();
  return parts.map((part) => part.trim());
}

/**
 * The head of a table whose line of dashes has not come yet.
 *
 * @param {any} state @param {number} startLine @param {number} endLine @param {boolean} silent
 */
function halfTable(state, startLine, endLine, silent) {
  if (!state.env.growing) return false;
  const lines = state.env.lineCount - startLine;
  if (lines < 1 || lines > 2 || startLine + lines > endLine) return false;
  if (state.sCount[startLine] - state.blkIndent >= 4) return false;
  /** @param {number} line */
  const text = (line) =>
    state.src.slice(state.bMarks[line] + state.tShift[line], state.eMarks[line]);
  if (!text(startLine).startsWith("|")) return false;
  // A complete second line has been judged by the rule for whole tables already.
  if (lines === 2 && state.src.endsWith("\n")) return false;
  if (lines === 2 && !/^\|[\s:|-]*$/.test(text(startLine + 1))) return false;
  const head = cells(text(startLine));
  if (!head.length) return false;
  if (silent) return true;
  const table = state.push("table_open", "table", 1);
  table.map = [startLine, startLine + lines];
  table.meta = { isUndecided: true };
  state.push("thead_open", "thead", 1);
  state.push("tr_open", "tr", 1).map = [startLine, startLine + lines];
  for (const cell of head) {
    state.push("th_open", "th", 1);
    const token = state.push("inline", "", 0);
    token.content = cell.replaceAll("\\|", "|");
    token.children = [];
    state.push("th_close", "th", -1);
  }
  state.push("tr_close", "tr", -1);
  state.push("thead_close", "thead", -1);
  state.push("table_close", "table", -1);
  state.line = startLine + lines;
  return true;
}

/** @param {any} md */
export function showGrowingText(md) {
  md.core.ruler.at("inline", parseInline);
  md.block.ruler.after("table", "half_table", halfTable, { alt: ["paragraph", "reference"] });
  md.inline.ruler.before("backticks", "half_code", halfCode);
  md.inline.ruler.before("link", "half_link", halfLink);
  md.inline.ruler2.after("balance_pairs", "close_emphasis", closeEmphasis);
}
