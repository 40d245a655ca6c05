/** Labels, explanations and placeholders of Gradio's components, in the page's language. */

import { language } from "./language.js";
import { inOurWords } from "./server-words.js";

/** Never what a person types or chooses among their own: only what Python has named. */
const WORDS = "label, [data-testid=block-info], .info-text";
const ATTRIBUTES = ["placeholder", "aria-label", "title"];

/**
 * Translate what is there and what Gradio renders later.
 *
 * @param {HTMLElement} root
 */
export function translateComponents(root) {
  if (language === "en") return;
  const watch = new MutationObserver(() => work());
  const work = () => {
    watch.disconnect();
    for (const node of root.querySelectorAll(".qc-setting")) translate(/** @type {HTMLElement} */ (node));
    watch.observe(root, { subtree: true, childList: true, characterData: true, attributeFilter: ATTRIBUTES });
  };
  work();
}

/** @param {HTMLElement} setting */
function translate(setting) {
  const walker = document.createTreeWalker(setting, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = /** @type {Text} */ (walker.currentNode);
    const said = node.data.trim();
    const label = node.parentElement?.closest(WORDS);
    // What is chosen among is named by whoever made the choice: languages in themselves, say.
    if (!said || !label || label.closest("label")?.querySelector("input[type=radio]")) continue;
    const ours = inOurWords(said);
    if (ours !== said) node.data = node.data.replace(said, ours);
  }
  for (const name of ATTRIBUTES) {
    for (const element of setting.querySelectorAll(`[${name}]`)) {
      const said = element.getAttribute(name) ?? "";
      const ours = inOurWords(said);
      if (ours !== said) element.setAttribute(name, ours);
    }
  }
}
