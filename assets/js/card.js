/** The one shape of bad news: what happened, why, one way on, details folded. */

import { el } from "./dom.js";
import { strings } from "./strings.js";

/**
 * @param {{title: string, why: string, code?: string, action?: string,
 *   onAction?: () => void, second?: {label: string, run: () => void}}} card
 */
export function createCard({ title, why, code, action, onAction, second }) {
  const button =
    action && el("button", { type: "button", class: "qc-button qc-primary", onClick: onAction }, action);
  const other =
    second && el("button", { type: "button", class: "qc-button", onClick: second.run }, second.label);
  const details =
    code &&
    el(
      "details",
      {},
      el("summary", { text: strings.failed.details }),
      el("p", { text: strings.failed.code(code) }),
    );
  return el(
    "div",
    { class: "qc-card", role: "group", "aria-label": title },
    el("p", { class: "qc-card-title", text: title }),
    el("p", { class: "qc-card-why", text: why }),
    button ? el("div", { class: "qc-card-actions" }, button, other) : null,
    details || null,
  );
}
