// @ts-check
/**
 * What an answer's markdown looks like as HTML, where that differs from the parser's own:
 * links that leave safely, pictures that are not fetched, code with a head, wide tables.
 */

import { languageName, languageOf } from "./languages.js";

const SAFE_ADDRESS = /^(?:https?:\/\/|mailto:)[^\s]/i;
const LINE_BREAK_TAG = /^<br[ \t]*\/?>/i;
const TASK = /^\[([ xX])\][ \t]/;

/** @typedef {{copy: string, copyCode: string, copied: string, plain: string}} Labels */

/** @param {any} md */
function addLinks(md) {
  const { escapeHtml } = md.utils;
  const { rules } = md.renderer;
  const leaving = 'target="_blank" rel="noopener noreferrer nofollow"';
  md.validateLink = (/** @type {string} */ url) => SAFE_ADDRESS.test(url.trim());

  /** How many links are open before a token. @param {any[]} tokens @param {number} i */
  const linkDepth = (tokens, i) => {
    let depth = 0;
    for (let j = 0; j < i; j++) {
      if (tokens[j].type === "link_open") depth++;
      if (tokens[j].type === "link_close") depth--;
    }
    return depth;
  };
  rules.link_open = (/** @type {any[]} */ tokens, /** @type {number} */ i) => {
    if (linkDepth(tokens, i) > 0) return "<span>"; // HTML has no links inside links
    const href = tokens[i].attrGet("href");
    const title = tokens[i].attrGet("title");
    const titled = title ? ` title="${escapeHtml(title)}"` : "";
    return href ? `<a href="${escapeHtml(href)}" ${leaving}${titled}>` : "<a>";
  };
  rules.link_close = (/** @type {any[]} */ tokens, /** @type {number} */ i) =>
    linkDepth(tokens, i) > 1 ? "</span>" : "</a>";

  // A picture would tell its server who reads what and when: it becomes a link to it.
  rules.image = (
    /** @type {any[]} */ tokens,
    /** @type {number} */ i,
    /** @type {any} */ options,
    /** @type {any} */ env,
    /** @type {any} */ renderer,
  ) => {
    const source = tokens[i].attrGet("src");
    const alternative = renderer.renderInlineAsText(tokens[i].children, options, env);
    const label = escapeHtml(alternative || source);
    return linkDepth(tokens, i) > 0
      ? `<span class="qc-image">${label}</span>`
      : `<a class="qc-image" href="${escapeHtml(source)}" ${leaving}>${label}</a>`;
  };
}

/** @param {any} md */
function addCode(md) {
  const { escapeHtml, unescapeAll } = md.utils;
  const { rules } = md.renderer;
  rules.fence = rules.code_block = (
    /** @type {any[]} */ tokens,
    /** @type {number} */ i,
    /** @type {any} */ _options,
    /** @type {{labels: Labels}} */ { labels },
  ) => {
    const written = unescapeAll(tokens[i].info ?? "").trim().split(/\s+/, 1)[0];
    const language = languageOf(written);
    // The last line's end belongs to the fence; pasted into a shell it would run the line.
    const code = tokens[i].content.replace(/\n$/, "");
    return (
      `<div class="qc-code"><div class="qc-code-head">` +
      `<span class="qc-code-language">${escapeHtml(languageName(written) || labels.plain)}</span>` +
      `<button class="qc-copy-code" type="button" aria-label="${escapeHtml(labels.copyCode)}">` +
      `${escapeHtml(labels.copy)}</button></div>` +
      // What can be scrolled can be reached with the keyboard; here and at tables.
      `<pre tabindex="0"><code${language ? ` data-language="${escapeHtml(language)}"` : ""}>` +
      `${escapeHtml(code)}</code></pre></div>\n`
    );
  };
}

/** @param {any} md */
function addTables(md) {
  const { rules } = md.renderer;
  rules.table_open = () => '<div class="qc-table" tabindex="0"><table>\n';
  rules.table_close = () => "</table></div>\n";
  rules.th_open = rules.td_open = (/** @type {any[]} */ tokens, /** @type {number} */ i) => {
    const align = /text-align:(\w+)/.exec(tokens[i].attrGet("style") ?? "")?.[1];
    return align ? `<${tokens[i].tag} class="qc-${align}">` : `<${tokens[i].tag}>`;
  };
}

/** @param {any} state */
function markTasks({ tokens, Token }) {
  for (let i = 2; i < tokens.length; i++) {
    if (tokens[i].type !== "inline" || tokens[i - 2].type !== "list_item_open") continue;
    const [first] = tokens[i].children;
    const match = first?.type === "text" ? TASK.exec(first.content) : null;
    if (!match) continue;
    tokens[i - 2].attrJoin("class", "qc-task");
    first.content = first.content.slice(match[0].length);
    const box = new Token("task_box", "input", 0);
    box.info = match[1] === " " ? "" : " checked";
    tokens[i].children.unshift(box);
  }
}

/** @param {any} md */
function addTasks(md) {
  md.core.ruler.after("inline", "tasks", markTasks);
  md.renderer.rules.task_box = (/** @type {any[]} */ tokens, /** @type {number} */ i) =>
    `<input type="checkbox" disabled${tokens[i].info}> `;
}

/**
 * `<br>`, the one tag models write in table cells. All other HTML is shown as text.
 *
 * @param {any} state @param {boolean} silent
 */
function lineBreak(state, silent) {
  if (state.src[state.pos] !== "<") return false;
  const match = LINE_BREAK_TAG.exec(state.src.slice(state.pos, state.pos + 8));
  if (!match) return false;
  if (!silent) state.push("hardbreak", "br", 0);
  state.pos += match[0].length;
  return true;
}

/** @param {any} md */
export function speakDialect(md) {
  addLinks(md);
  addCode(md);
  addTables(md);
  addTasks(md);
  md.inline.ruler.before("autolink", "line_break", lineBreak);
}
