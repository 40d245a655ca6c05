/** Small pieces that several views of models are made of. */

import { el, icon, setText } from "../dom.js";
import { strings } from "../strings.js";

const ICON = /** @type {const} */ ({ fits: "check", tight: "warning", does_not_fit: "close" });

/**
 * How a model fits, as a word with an icon; pressing it shows the sentence behind the word.
 *
 * @returns {{word: HTMLButtonElement, sentence: HTMLElement,
 *   update: (fit: import("../types.js").Fit | null) => void}}
 */
export function createFit() {
  const mark = el("span", { class: "qc-fit-mark" });
  const text = el("span", { text: strings.fit.fits });
  const sentence = el("p", { class: "qc-hint qc-fit-why", dir: "auto", hidden: true });
  const word = el(
    "button",
    { type: "button", class: "qc-fit", "aria-expanded": "false", onClick: () => show(sentence.hidden) },
    mark,
    text,
  );
  /** @param {boolean} open */
  function show(open) {
    sentence.hidden = !open;
    word.setAttribute("aria-expanded", String(open));
  }
  return {
    word,
    sentence,
    update(fit) {
      word.hidden = !fit;
      if (!fit) return show(false);
      if (word.dataset.fit !== fit.answer) mark.replaceChildren(icon(ICON[fit.answer]));
      word.dataset.fit = fit.answer;
      setText(text, strings.fit[fit.answer]);
      word.setAttribute("aria-label", strings.fit.why(strings.fit[fit.answer]));
      word.title = fit.message;
      setText(sentence, fit.message);
    },
  };
}

/** A thin bar; `null` is a share nobody knows. @param {string} label */
export function createBar(label) {
  const bar = el("span");
  const root = el("div", { class: "qc-bar", role: "progressbar", "aria-label": label }, bar);
  return {
    root,
    /** @param {number | null} share */
    update(share) {
      root.toggleAttribute("data-indeterminate", share === null);
      if (share === null) root.removeAttribute("aria-valuenow");
      else root.setAttribute("aria-valuenow", String(Math.floor(100 * share)));
      bar.style.transform = share === null ? "" : `scaleX(${share})`;
    },
  };
}

/** A line of bad news that a screen reader says at once; empty, it is not there. */
export function createProblem() {
  const text = el("span", { dir: "auto" });
  const root = el("p", { class: "qc-trouble", role: "alert", hidden: true }, icon("warning"), text);
  return {
    root,
    /** @param {string} problem */
    update(problem) {
      setText(text, problem);
      root.hidden = !problem;
    },
  };
}

/**
 * @param {string} label
 * @param {() => void} onClick
 * @param {Record<string, any>} [attributes]
 */
export const textButton = (label, onClick, attributes = {}) =>
  el("button", { type: "button", onClick, ...attributes,
    class: `qc-button ${attributes.class ?? ""}`.trim() }, label);

/** What is known of a model, one after the other. @param {(string | null | undefined | false)[]} parts */
export const dotted = (parts) => parts.filter(Boolean).join(" · ");

/**
 * Nodes for values in their order; a value that stays keeps its node, and what is in it.
 *
 * @template T
 * @param {HTMLElement} parent
 * @param {(id: string) => {root: HTMLElement, update: (value: T) => void}} create
 * @param {(value: T) => string} idOf
 */
export function createList(parent, create, idOf) {
  /** @type {Map<string, {root: HTMLElement, update: (value: T) => void}>} */
  const views = new Map();
  return (/** @type {T[]} */ values) => {
    const wanted = new Set(values.map(idOf));
    for (const [id, view] of views) {
      if (wanted.has(id)) continue;
      view.root.remove();
      views.delete(id);
    }
    values.forEach((value, index) => {
      const id = idOf(value);
      const view = views.get(id) ?? create(id);
      views.set(id, view);
      if (parent.children[index] !== view.root) parent.insertBefore(view.root, parent.children[index] ?? null);
      view.update(value);
    });
  };
}
