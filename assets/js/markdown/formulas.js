// @ts-check
/** Formulas in the page, set by KaTeX, which is loaded when the first one occurs. */

import { decodeTex } from "./math-syntax.js";
import { sanitizeFormula } from "./sanitize.js";

const DONE = ".qc-math-done";
const WAITING = `.qc-math:not(${DONE})`;
/** One still being written is reason enough to load KaTeX: it will be there in time. */
const ANY = ".qc-math, .qc-math-growing";
/** Longest stretch of setting formulas before the page may do something else. */
export const SLICE_MS = 12;

const OPTIONS = {
  output: "htmlAndMathml",
  throwOnError: false,
  errorColor: "currentColor",
  strict: "ignore",
  trust: false,
  maxSize: 20,
  maxExpand: 500,
};

/** @type {any} */
let katex;
/** @type {Promise<void> | undefined} */
let loading;

/** @param {string} href @returns {Promise<void>} */
function loadStyles(href) {
  return new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = href;
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(new Error("The formula styles could not be loaded."));
    };
    document.head.append(link);
  });
}

function load() {
  loading ??= Promise.all([
    import("../../vendor/katex/katex.js"),
    loadStyles(new URL("../../vendor/katex/katex.min.css", import.meta.url).href),
  ]).then(
    ([module]) => {
      katex = module.default;
    },
    (error) => {
      loading = undefined; // try again with the next formula
      throw error;
    },
  );
  return loading;
}

/** @param {Element} element */
function setFormula(element) {
  const tex = decodeTex(element.getAttribute("data-tex") ?? "");
  const displayMode = element.classList.contains("qc-math-display");
  element.classList.add("qc-math-done");
  try {
    const html = katex.renderToString(tex, { ...OPTIONS, displayMode });
    element.replaceChildren(sanitizeFormula(html));
  } catch {
    // not a formula KaTeX can read: its source stays
  }
}

/**
 * Set the formulas in an element; at once if KaTeX is here already and there is time.
 *
 * @param {Element} root
 * @param {number} [deadline] when to let the page do something else first
 * @returns {Promise<boolean> | null} null when there were none to wait for
 */
export function setFormulas(root, deadline = performance.now() + SLICE_MS) {
  if (!root.querySelector(ANY) && !root.matches(ANY)) return null;
  if (!katex) {
    return load().then(
      async () => {
        await setFormulas(root);
        return true;
      },
      () => false,
    );
  }
  const waiting = [...root.querySelectorAll(WAITING)];
  if (root.matches(WAITING)) waiting.push(root);
  for (const element of waiting) {
    if (performance.now() > deadline) break;
    setFormula(element);
  }
  if (waiting.every((element) => element.matches(DONE))) return null;
  return new Promise((resolve) => {
    setTimeout(async () => {
      await setFormulas(root);
      resolve(true);
    });
  });
}

/**
 * Keep a formula that is set already. For morph().
 *
 * @param {Element} current @param {Element} wanted
 */
export function keepFormula(current, wanted) {
  const tex = current.getAttribute("data-tex");
  if (tex !== null && tex === wanted.getAttribute("data-tex")) {
    return (
      current.classList.contains("qc-math-display") === wanted.classList.contains("qc-math-display")
    );
  }
  return false;
}
