// @ts-check
/**
 * Show an answer while it is being written.
 *
 * The source is split into top-level blocks. Blocks that no later text can change are
 * settled: their nodes are never touched again and their source is never parsed again. Only
 * the last blocks, still open, are parsed anew when text comes, and the page is changed only
 * where they differ. The finished result is that of rendering the whole text at once.
 */

import { colourCode, growCode, listenForCopy } from "./markdown/code-blocks.js";
import { SLICE_MS, keepFormula, setFormulas } from "./markdown/formulas.js";
import { grow } from "./markdown/grow.js";
import { morph } from "./markdown/morph.js";
import { parse } from "./markdown/parser.js";
import { sanitizeMarkdown } from "./markdown/sanitize.js";

/** Browsers stop animation frames in hidden tabs; a timer goes on. */
const FRAME_OVERDUE_MS = 250;
/** Rendering may take this share of the time: the processor belongs to the model. */
const RENDER_SHARE = 1 / 8;
const LONGEST_WAIT_MS = 500;

const CAN_HOLD_CARET =
  "p, h1, h2, h3, h4, h5, h6, ul, ol, li, blockquote, .qc-code, .qc-code pre, .qc-code code, " +
  ".qc-table, table, thead, tbody, tr, th, td:not(:empty)";

/** @type {import("./markdown/dialect.js").Labels} */
const ENGLISH = { copy: "Copy", copyCode: "Copy code", copied: "Copied", plain: "Text" };

/**
 * @typedef {object} MarkdownRenderer
 * @property {(text: string) => void} set show this text; growth of the shown text is cheap
 * @property {(text: string) => void} append add to the end; shown at the next frame
 * @property {() => Promise<void>} finish the text is complete; it is shown when this returns,
 *   colours and formulas are there when the promise is settled. Text may still be appended
 *   later (an answer that is continued).
 * @property {string} text all of it, as it came
 */

/** @typedef {{html: string, source: string, element: Element}} Shown */

/** @param {Element} current @param {Element} wanted */
const keep = (current, wanted) => keepFormula(current, wanted) || growCode(current, wanted);

/** @param {string[]} htmls one element each @returns {Element[]} */
function toElements(htmls) {
  if (!htmls.length) return [];
  const elements = [...sanitizeMarkdown(htmls.join("")).children];
  if (elements.length !== htmls.length) throw new Error("A block of an answer is not one element.");
  return elements;
}

/** @param {string} source @returns {number[]} where each line begins, and the end */
function lineStarts(source) {
  const starts = [0];
  for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1)) {
    starts.push(at + 1);
  }
  if (starts[starts.length - 1] !== source.length) starts.push(source.length);
  return starts;
}

/**
 * @param {HTMLElement} container filled by this renderer alone
 * @param {object} [options]
 * @param {() => void} [options.onRendered] after each change of the page
 * @param {Partial<import("./markdown/dialect.js").Labels>} [options.labels]
 * @returns {MarkdownRenderer}
 */
export function createRenderer(container, { onRendered = () => {}, labels = {} } = {}) {
  const words = { ...ENGLISH, ...labels };
  let text = "";
  let endsWithReturn = false;
  /** Source of the open blocks, with \n for every line end. */
  let tail = "";
  /** @type {Shown[]} */
  let settled = [];
  /** @type {Shown[]} */
  let open = [];
  /** @type {import("./markdown/parser.js").References} */
  let references = Object.create(null);
  let hasDefinitions = false;
  let isFinished = true;

  let frame = 0;
  let timer = 0;
  let notBefore = 0;
  /** @type {Element | null} */
  let caret = null;

  container.classList.add("qc-markdown");
  listenForCopy(container, words);

  function cancel() {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = timer = 0;
  }

  function schedule() {
    if (frame || timer) return;
    const wait = notBefore - performance.now();
    if (wait > 0) {
      timer = window.setTimeout(render, wait);
    } else {
      if (!document.hidden) frame = requestAnimationFrame(render);
      timer = window.setTimeout(render, FRAME_OVERDUE_MS);
    }
  }

  /** @param {Promise<boolean> | null} work */
  function reportLater(work) {
    work?.then((isChanged) => isChanged && onRendered());
  }

  function hideCaret() {
    caret?.classList.remove("qc-caret");
    if (caret?.className === "") caret.removeAttribute("class");
    caret = null;
  }

  function showCaret() {
    let element = container.lastElementChild;
    for (let inner = element; inner?.matches(CAN_HOLD_CARET); inner = inner.lastElementChild) {
      element = inner;
    }
    caret = element;
    caret?.classList.add("qc-caret");
  }

  /** @param {import("./markdown/parser.js").Block[]} blocks @param {number[]} starts */
  function show(blocks, starts) {
    const deadline = performance.now() + SLICE_MS;
    const isGrown = blocks.map(
      ({ html }, i) =>
        open[i] &&
        (open[i].html === html || grow(open[i].element, open[i].html, html, sanitizeMarkdown)),
    );
    const wanted = toElements(blocks.filter((_, i) => !isGrown[i]).map(({ html }) => html));
    blocks.forEach(({ html, start, end }, i) => {
      const source = tail.slice(starts[start], starts[Math.min(end, starts.length - 1)]);
      let { element, html: before } = open[i] ?? {};
      if (!isGrown[i]) {
        const next = /** @type {Element} */ (wanted.shift());
        if (element) element = /** @type {Element} */ (morph(element, next, keep));
        else container.append((element = next));
      }
      open[i] = { html, source, element };
      if (html === before) return;
      if (html.includes("qc-math")) reportLater(setFormulas(element, deadline));
      if (html.includes("</pre>")) colourCode(element, !isFinished && i === blocks.length - 1);
    });
    for (const { element } of open.splice(blocks.length)) element.remove();
  }

  /**
   * Settle the blocks that end above a block which is one for certain: its first line and
   * the line after that (a heading's or table's dashes) are complete.
   *
   * @param {import("./markdown/parser.js").Parsed} parsed @param {number[]} starts
   */
  function settle({ blocks, definitions }, starts) {
    const completeLines = starts.length - (tail.endsWith("\n") ? 1 : 2);
    let count = 0;
    while (
      count + 1 < blocks.length &&
      !blocks[count + 1].isUndecided &&
      blocks[count + 1].start + 1 < completeLines
    ) {
      count++;
    }
    if (count === 0) return;
    const { end } = blocks[count - 1];
    for (const { label, reference, end: definitionEnd } of definitions) {
      if (definitionEnd <= end) references[label] ??= reference;
    }
    for (const shown of open.splice(0, count)) {
      settled.push(shown);
      if (shown.html.includes("</pre>")) colourCode(shown.element, false);
    }
    tail = tail.slice(starts[end]);
  }

  /**
   * Blocks above may name links that were defined below them.
   *
   * @param {import("./markdown/parser.js").References} all
   */
  function resolveLateReferences(all) {
    for (const shown of settled) {
      if (!shown.source.includes("[")) continue;
      const { blocks } = parse(shown.source, { growing: false, references: all, labels: words });
      if (blocks.length !== 1 || blocks[0].html === shown.html) continue;
      shown.html = blocks[0].html;
      const [wanted] = toElements([shown.html]);
      shown.element = /** @type {Element} */ (morph(shown.element, wanted, keep));
      reportLater(setFormulas(shown.element));
    }
  }

  function render() {
    cancel();
    const started = performance.now();
    hideCaret();
    const starts = lineStarts(tail);
    const parsed = parse(tail, { growing: !isFinished, references, labels: words });
    hasDefinitions ||= parsed.definitions.length > 0;
    show(parsed.blocks, starts);
    if (isFinished) {
      if (hasDefinitions) {
        const all = Object.create(references);
        for (const { label, reference } of parsed.definitions) all[label] ??= reference;
        resolveLateReferences(all);
      }
    } else {
      settle(parsed, starts);
      showCaret();
    }
    const ended = performance.now();
    notBefore = ended + Math.min(LONGEST_WAIT_MS, (ended - started) / RENDER_SHARE);
    onRendered();
  }

  /** Begin another text. What is shown stays until the other is rendered over it. */
  function begin() {
    cancel();
    [text, tail, endsWithReturn, hasDefinitions] = ["", "", false, false];
    [open, settled] = [[...settled, ...open], []];
    references = Object.create(null);
  }

  /** @param {string} added */
  function append(added) {
    if (!added) return;
    text += added;
    const normal = endsWithReturn && added.startsWith("\n") ? added.slice(1) : added;
    endsWithReturn = added.endsWith("\r");
    tail += normal.replace(/\r\n?/g, "\n");
    isFinished = false;
    container.classList.add("qc-streaming");
    schedule();
  }

  return {
    append,
    set(wanted) {
      if (!wanted.startsWith(text)) begin();
      if (wanted) append(wanted.slice(text.length));
      else render();
    },
    async finish() {
      isFinished = true;
      container.classList.remove("qc-streaming");
      render();
      await Promise.all([setFormulas(container), colourCode(container, false)]);
      onRendered();
    },
    get text() {
      return text;
    },
  };
}
