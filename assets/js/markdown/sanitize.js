// @ts-check
/**
 * The second wall. The parser already turns HTML in answers into text; whatever reaches the
 * page is checked once more against a list of what we ourselves produce.
 */

import createPurifier from "../../vendor/dompurify/purify.js";

const MARKDOWN = {
  ALLOWED_TAGS: [
    "#text", "a", "blockquote", "br", "button", "code", "div", "em", "h1", "h2", "h3", "h4",
    "h5", "h6", "hr", "input", "li", "ol", "p", "pre", "s", "span", "strong", "table",
    "tbody", "td", "th", "thead", "tr", "ul",
  ],
  ALLOWED_ATTR: [
    "aria-label", "checked", "class", "data-language", "data-tex", "disabled", "href", "rel",
    "start", "tabindex", "target", "title", "type",
  ],
  ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:)/i,
  // The pattern above is asked about every attribute but these.
  ADD_URI_SAFE_ATTR: [
    "aria-label", "checked", "data-language", "data-tex", "disabled", "rel", "start", "tabindex",
    "target", "type",
  ],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};

const FORMULA = {
  USE_PROFILES: { html: true, mathMl: true, svg: true },
  ADD_TAGS: ["semantics", "annotation"],
  FORBID_TAGS: [
    "a", "audio", "button", "form", "iframe", "image", "img", "input", "style", "video",
  ],
  FORBID_ATTR: ["href", "src", "xlink:href"],
  ALLOW_DATA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};

/**
 * The nodes are checked in a document that runs nothing and go from there to the page; they
 * are not written out and parsed a second time.
 *
 * @param {object} config @returns {(html: string) => DocumentFragment}
 */
function purifier(config) {
  const instance = /** @type {any} */ (createPurifier)(window);
  instance.setConfig(config);
  return (html) => instance.sanitize(html);
}

export const sanitizeMarkdown = purifier(MARKDOWN);
export const sanitizeFormula = purifier(FORMULA);
