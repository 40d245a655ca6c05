// @ts-check
/** Code blocks in the page: growing, copying, colouring. */

import { copyText } from "./clipboard.js";
import { EXTRA_LANGUAGES } from "./languages.js";
import { morphChildren } from "./morph.js";
import { sanitizeMarkdown } from "./sanitize.js";

const COPIED_MS = 1500;
/** Longer code stays plain: colouring it would hold up the page. */
const MOST_CHARACTERS = 40_000;
/** While code grows it is coloured this often, and less when that takes long. */
const LIVE_INTERVAL_MS = 250;
const LIVE_SHARE = 1 / 15;

/** @typedef {{text: string, nextAt: number, timer: number}} Colouring */
/** @type {WeakMap<Element, Colouring>} */
const colourings = new WeakMap();

/** @type {Promise<any> | undefined} */
let highlighter;
/** @type {Map<string, Promise<void>>} */
const extras = new Map();

/** @param {string} language */
async function loadHighlighter(language) {
  highlighter ??= import("../../vendor/highlight/highlight.min.js").then((m) => m.default);
  const hljs = await highlighter;
  if (EXTRA_LANGUAGES.has(language)) {
    if (!extras.has(language)) {
      const file = `../../vendor/highlight/languages/${language}.min.js`;
      extras.set(
        language,
        import(file).then((m) => hljs.registerLanguage(language, m.default)),
      );
    }
    await extras.get(language);
  }
  return hljs;
}

/** @param {Element} code */
async function colour(code) {
  const language = code.getAttribute("data-language") ?? "";
  const hljs = await loadHighlighter(language);
  const text = code.textContent ?? "";
  const colouring = colourings.get(code);
  if (!colouring || colouring.text === text || text.length > MOST_CHARACTERS) return;
  const started = performance.now();
  const { value } = hljs.highlight(text, { language, ignoreIllegals: true });
  morphChildren(code, sanitizeMarkdown(value), () => false);
  const ended = performance.now();
  colouring.text = text;
  colouring.nextAt = ended + Math.max(LIVE_INTERVAL_MS, (ended - started) / LIVE_SHARE);
}

/** @param {() => void} work */
function whenIdle(work) {
  if ("requestIdleCallback" in window && !document.hidden) {
    requestIdleCallback(work, { timeout: 500 });
  } else {
    setTimeout(work, 0);
  }
}

/**
 * Colour the code blocks in an element, when the page has time for it.
 *
 * @param {Element} root
 * @param {boolean} growing the last of them is still being written
 * @returns {Promise<unknown>} settled when all complete ones are coloured
 */
export function colourCode(root, growing) {
  const codes = root.querySelectorAll("pre > code[data-language]");
  const work = Array.from(codes, (code, i) => {
    const colouring = colourings.get(code) ?? { text: "", nextAt: 0, timer: 0 };
    colourings.set(code, colouring);
    if (growing && i === codes.length - 1) {
      colouring.timer ||= window.setTimeout(
        () => {
          colouring.timer = 0;
          colour(code).catch(() => {}); // plain code is readable too
        },
        Math.max(LIVE_INTERVAL_MS, colouring.nextAt - performance.now()),
      );
      return null;
    }
    return new Promise((resolve) => whenIdle(() => colour(code).then(resolve, resolve)));
  });
  return Promise.all(work);
}

/**
 * Let code grow without touching what is there. For morph().
 *
 * @param {Element} current @param {Element} wanted
 */
export function growCode(current, wanted) {
  if (current.nodeName !== "CODE" || current.parentNode?.nodeName !== "PRE") return false;
  if (current.getAttribute("data-language") !== wanted.getAttribute("data-language")) return false;
  const had = current.textContent ?? "";
  const text = wanted.textContent ?? "";
  if (!text.startsWith(had)) return false;
  if (text.length === had.length) return true;
  const added = text.slice(had.length);
  if (current.lastChild instanceof Text) current.lastChild.appendData(added);
  else current.append(added);
  return true;
}

/**
 * Make the Copy buttons in a container work, those that come later too.
 *
 * @param {Element} container
 * @param {import("./dialect.js").Labels} labels
 */
export function listenForCopy(container, labels) {
  container.addEventListener("click", async (event) => {
    const button = event.target instanceof Element ? event.target.closest(".qc-copy-code") : null;
    const code = button?.closest(".qc-code")?.querySelector("code");
    if (!button || !code || !(await copyText(code.textContent ?? ""))) return;
    button.textContent = labels.copied;
    button.setAttribute("aria-label", labels.copied);
    setTimeout(() => {
      button.textContent = labels.copy;
      button.setAttribute("aria-label", labels.copyCode);
    }, COPIED_MS);
  });
}
