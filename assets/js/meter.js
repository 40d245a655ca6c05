/** How full the context is: a line at the message box, and what it is filled with. */

import { el, icon, setText } from "./dom.js";
import { lastMeasurement } from "./measure.js";
import { on } from "./store.js";
import { compact, number } from "./numbers.js";
import { strings } from "./strings.js";

const MARGIN = 8;
const words = strings.meter;

const SEGMENTS = 3;
const segments = Array.from({ length: SEGMENTS }, () => el("span", {}, el("span")));
const text = el("span", { class: "qc-number", text: words.none });
const rows = el("dl");
const about = el("p", { class: "qc-hint" });
const popover = el("div", { class: "qc-popover qc-meter-about", id: "meter-about", hidden: true }, rows, about);
const button = el(
  "button",
  { type: "button", id: "context-meter", class: "qc-meter", "aria-expanded": "false",
    "aria-controls": "meter-about", "aria-label": words.unknown, title: words.label },
  text,
  el("span", { class: "qc-meter-bar", "aria-hidden": "true" }, ...segments),
);

/** For the foot of the message box. */
export const meter = el("div", { class: "qc-meter-place" }, button);
/** For the layer above everything else: the box's own frame would cut it off. */
export const meterPopover = el("div", {}, popover);

export function startMeter() {
  on("measured", draw);
  on("open", () => show(false));
  button.addEventListener("click", () => show(popover.hidden));
  button.addEventListener("focus", () => button.matches(":focus-visible") && show(true));
  button.addEventListener("blur", () => show(false));
  button.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || popover.hidden) return;
    event.stopPropagation(); // it would close a drawer too
    show(false);
  });
  addEventListener("pointerdown", ({ target }) => {
    const inside = [button, popover].some((one) => one.contains(/** @type {Node} */ (target)));
    if (!inside) show(false);
  });
  addEventListener("resize", () => show(false));
  draw();
}

/** @param {boolean} open */
function show(open) {
  popover.hidden = !open;
  button.setAttribute("aria-expanded", String(open));
  if (open) place();
}

/** Above the button, its right end in line with it, inside the window. */
function place() {
  const at = button.getBoundingClientRect();
  const { width, height } = popover.getBoundingClientRect();
  const left = Math.min(at.right - width, innerWidth - width - MARGIN);
  popover.style.left = `${Math.max(MARGIN, left)}px`;
  popover.style.top = `${Math.max(MARGIN, at.top - height - MARGIN)}px`;
}

function draw() {
  const now = lastMeasurement();
  const used = now ? now.prompt_tokens : 0;
  const share = now ? used / now.context_length : 0;
  setText(text, now ? `${compact(used)}/${compact(now.context_length)}` : words.none);
  // What can be seen is part of the name, for those who say it.
  const said = now ? `${text.textContent} · ${words.used(used, now.context_length)}` : words.unknown;
  button.setAttribute("aria-label", said);
  button.dataset.state = !now ? "unknown" : now.fits ? "fits" : "over";
  button.querySelector(".qc-icon")?.remove();
  if (now && !now.fits) button.prepend(icon("warning"));
  segments.forEach((segment, index) => {
    const filled = Math.min(1, Math.max(0, share * SEGMENTS - index));
    /** @type {HTMLElement} */ (segment.firstElementChild).style.transform = `scaleX(${filled})`;
  });
  rows.replaceChildren(...(now ? parts(now).flatMap(row) : []));
  setText(about, now ? words.about(now.context_length) : words.unknown);
  if (!popover.hidden) place();
}

/** What adds up to the context's length. @param {import("./types.js").Measurement} now */
function parts(now) {
  const free = now.context_length - now.prompt_tokens - now.reserve_tokens;
  return [
    { name: words.system, tokens: now.system_tokens },
    { name: words.history, tokens: now.history_tokens },
    { name: words.message, tokens: now.message_tokens },
    { name: words.reserve, tokens: now.reserve_tokens },
    { name: free < 0 ? words.over : words.free, tokens: free },
  ];
}

/** @param {{name: string, tokens: number}} part */
const row = ({ name, tokens }) => [
  el("dt", { text: name }),
  el("dd", { class: "qc-number", text: number(tokens) }),
];
