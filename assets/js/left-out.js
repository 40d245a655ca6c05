/** The line above the first message the model read, and what it means. */

import { el, icon, setText } from "./dom.js";
import { strings } from "./strings.js";

export function createLeftOut() {
  const text = el("span");
  const why = el("p", { class: "qc-left-out-why", id: "left-out-why", hidden: true, text: strings.leftOut.why });
  const button = el(
    "button",
    { type: "button", class: "qc-left-out-line", "aria-expanded": "false",
      "aria-controls": "left-out-why", onClick: toggle },
    text,
    icon("chevron"),
  );
  const root = el("div", { class: "qc-left-out" }, button, why);

  function toggle() {
    why.hidden = !why.hidden;
    button.setAttribute("aria-expanded", String(!why.hidden));
  }

  return {
    root,
    /** @param {number} count */
    update: (count) => setText(text, strings.leftOut.line(count)),
  };
}
