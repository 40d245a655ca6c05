/** Small helpers to build DOM; text always goes in as text, never as markup. */

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * An element with attributes and children. `class`, `text` and `on<Event>` are understood;
 * everything else is an attribute, left out when null or false.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") node.textContent = value;
    else if (name === "class") node.className = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2).toLowerCase(), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child || child === ""));
  return node;
}

const ICONS = {
  attach: "M19 11.5l-7.4 7.4a4.6 4.6 0 0 1-6.5-6.5l8-8a3.1 3.1 0 0 1 4.4 4.4l-8 8a1.6 1.6 0 0 1-2.2-2.2l7.3-7.4",
  file: "M6 3.5h8l4.5 4.5v12.5H6zM14 3.5V8h4.5M9 12.5h6.5M9 16h6.5",
  code: "M8.5 7L3.5 12l5 5M15.5 7l5 5-5 5M13.5 5l-3 14",
  table: "M4 5h16v14H4zM4 10h16M4 14.5h16M10 5v14",
  plus: "M12 5v14M5 12h14",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20 20l-4-4",
  menu: "M4 7h16M4 12h16M4 17h16",
  sidebar: "M4 5h16v14H4zM9.5 5v14",
  sliders: "M4 8h9M17 8h3M4 16h3M11 16h9M15 5.5v5M9 13.5v5",
  close: "M6 6l12 12M18 6L6 18",
  send: "M12 19V5M6 11l6-6 6 6",
  copy: "M9 9h10v11H9zM5 15V4h10",
  check: "M5 12.5l4.5 4.5L19 7.5",
  regenerate: "M19.5 12a7.5 7.5 0 1 1-2.2-5.3L20 9M20 4v5h-5",
  down: "M12 5v14M6 13l6 6 6-6",
  chevron: "M7 10l5 5 5-5",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
  more: "M5.5 12h.01M12 12h.01M18.5 12h.01",
  rename: "M4 20l1-4.5L16 4.5l3.5 3.5L8.5 19 4 20zM13.5 7l3.5 3.5",
  pin: "M9 4h6l-.8 6.5 3.3 3.5h-11l3.3-3.5L9 4zM12 14v6.5",
  trash: "M4.5 7h15M9.5 7V4.5h5V7M6.5 7l1 13h9l1-13M10 11v5M14 11v5",
  download: "M12 4v11M7 10.5l5 5 5-5M5 20h14",
  upload: "M12 16V5M7 9.5l5-5 5 5M5 20h14",
  temporary: "M7.5 4.8a8.5 8.5 0 0 1 3-1.2M13.5 3.6a8.5 8.5 0 0 1 3 1.2M19 7.2a8.5 8.5 0 0 1 1.4 3M20.4 13.8a8.5 8.5 0 0 1-1.4 3M16.5 19.2a8.5 8.5 0 0 1-3 1.2M10.5 20.4a8.5 8.5 0 0 1-3-1.2M5 16.8a8.5 8.5 0 0 1-1.4-3M3.6 10.2a8.5 8.5 0 0 1 1.4-3M12 8v4l2.5 2",
  previous: "M14.5 6l-6 6 6 6",
  next: "M9.5 6l6 6-6 6",
  branch: "M7 6v12M7 13c6 0 10-1 10-7M7 3.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM17 3.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM7 16.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4z",
  continue: "M8 5.5l9 6.5-9 6.5z",
  disk: "M5 5h14l2 9v5H3v-5l2-9zM3 14h18M17 16.6v.1",
  pulse: "M3 12h4l2.5-6 4 12 2.5-6h5",
  pause: "M9 6v12M15 6v12",
  folder: "M3.5 6.5h6l2 2.5h9v9.5h-17z",
  bulb: "M9 18h6M10 21h4M8.5 15c-1.6-1.2-2.5-3-2.5-5a6 6 0 0 1 12 0c0 2-.9 3.8-2.5 5z",
  keyboard: "M3 6.5h18v11H3zM6.5 10h.01M10 10h.01M13.5 10h.01M17 10h.01M8 14h8",
  warning: "M12 4L2.8 19.5h18.4L12 4zM12 10v4.5M12 17.2v.1",
};

/**
 * One of our line icons; decoration only, the name is on the button around it.
 *
 * @param {keyof typeof ICONS} name
 * @returns {SVGSVGElement}
 */
export function icon(name) {
  const namespace = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(namespace, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "qc-icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(namespace, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/**
 * A round button that shows an icon and is named for those who do not see it.
 *
 * @param {keyof typeof ICONS} name
 * @param {string} label
 * @param {(event: MouseEvent) => void} onClick
 * @param {Record<string, any>} [attributes]
 */
export function iconButton(name, label, onClick, attributes = {}) {
  return el(
    "button",
    {
      type: "button",
      "aria-label": label,
      title: label,
      onClick,
      ...attributes,
      class: `qc-icon-button ${attributes.class ?? ""}`.trim(),
    },
    icon(name),
  );
}

/** @param {HTMLElement} node @param {string} text  Set text only when it differs. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** True where a finger is the pointer: Enter makes a new line there. */
export const isTouch = () => matchMedia("(hover: none) and (pointer: coarse)").matches;

/** True below the width where the side bars become drawers. */
export const isNarrow = () => matchMedia("(max-width: 799.98px)").matches;

const RIGHT_TO_LEFT = /^[^\p{L}]*[\u0591-\u08ff\ufb1d-\ufdfd\ufe70-\ufefc]/u;

/**
 * The writing direction of a text, from its first letters. Not `dir="auto"`: with that,
 * browsers look through the whole text at each change, which takes seconds for a megabyte.
 *
 * @param {HTMLElement} node
 * @param {string} text
 */
export function setDirection(node, text) {
  const direction = RIGHT_TO_LEFT.test(text.slice(0, 200)) ? "rtl" : "ltr";
  if (node.dir !== direction) node.dir = direction;
}
