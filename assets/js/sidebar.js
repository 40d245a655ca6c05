/** The list of conversations, its search, and what stands at the foot of the side bar. */

import * as actions from "./actions.js";
import { el, icon, iconButton, isComposing, isNarrow, setText } from "./dom.js";
import { closeDrawer, togglePanel } from "./panels.js";
import { hashOf } from "./router.js";
import { on, state } from "./store.js";
import { strings } from "./strings.js";
import { themeSwitch } from "./theme.js";

const DAY = 86400;
const words = strings.sidebar;

const search = el("input", {
  id: "conversation-search",
  type: "search",
  placeholder: words.search,
  "aria-label": words.searchLabel,
  autocomplete: "off",
  spellcheck: "false",
});
const list = el("nav", { id: "conversation-list", "aria-label": words.label });

export const sidebar = el(
  "div",
  { class: "qc-side" },
  el(
    "div",
    { class: "qc-side-head" },
    el("img", { src: "/assets/icons/qwenchat.svg", alt: "", width: 24, height: 24 }),
    el("span", { class: "qc-brand", text: strings.app }),
    iconButton("sidebar", words.close, () => togglePanel("sidebar", false)),
  ),
  el(
    "button",
    { type: "button", id: "new-chat", class: "qc-new-chat", onClick: startNew },
    icon("plus"),
    words.newChat,
  ),
  el("div", { class: "qc-search" }, icon("search"), search),
  list,
  el("div", { class: "qc-side-foot" }, themeSwitch),
);

export function startSidebar() {
  search.addEventListener("input", draw);
  search.addEventListener("keydown", (event) => {
    if (isComposing(event)) return;
    if (event.key === "Escape" && search.value) {
      event.stopPropagation();
      search.value = "";
      draw();
    }
    if (event.key === "Enter" && search.value.trim()) list.querySelector("a")?.click();
  });
  list.addEventListener("click", (event) => {
    if (/** @type {Element} */ (event.target).closest("a") && isNarrow()) closeDrawer();
  });
  on(["conversations", "open", "conversation"], draw);
  draw();
}

function startNew() {
  closeDrawer();
  actions.newChat();
  document.getElementById("message-box")?.focus({ preventScroll: true });
}

/** Bring the list in line with the store; rows that stay keep their focus. */
function draw() {
  const query = search.value.trim().toLocaleLowerCase();
  const found = state.conversations.filter(
    (one) => !query || (one.title || words.untitled).toLocaleLowerCase().includes(query),
  );
  const rows = found.length ? withHeadings(found) : [emptyRow(query ? words.nothingFound : words.empty)];
  const old = new Map([...list.children].map((node) => [/** @type {any} */ (node).dataset.key, node]));
  const nodes = rows.map(({ key, make, update }) => {
    const node = /** @type {HTMLElement} */ (old.get(key) ?? make());
    node.dataset.key = key;
    update(node);
    return node;
  });
  const same = nodes.length === list.children.length && nodes.every((node, at) => list.children[at] === node);
  if (!same) {
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    list.replaceChildren(...nodes);
    if (focused && list.contains(focused)) focused.focus({ preventScroll: true });
  }
  const open = state.conversations.find((one) => one.id === state.openId);
  document.title = open?.title ? strings.titled(open.title) : strings.app;
}

/** @typedef {{key: string, make: () => HTMLElement, update: (node: HTMLElement) => void}} Row */

/** @param {import("./types.js").Summary[]} found @returns {Row[]} */
function withHeadings(found) {
  const midnight = new Date().setHours(0, 0, 0, 0) / 1000;
  /** @type {Row[]} */
  const rows = [];
  let last = "";
  for (const one of found) {
    const heading = headingFor(one.updated_at, midnight);
    if (heading !== last) rows.push(headingRow(heading));
    last = heading;
    rows.push(conversationRow(one));
  }
  return rows;
}

/** @param {number} time @param {number} midnight */
function headingFor(time, midnight) {
  if (time >= midnight) return words.today;
  if (time >= midnight - DAY) return words.yesterday;
  return time >= midnight - 7 * DAY ? words.week : words.earlier;
}

/** @param {string} text @returns {Row} */
const headingRow = (text) => ({
  key: `heading ${text}`,
  make: () => el("h2", { text }),
  update: () => {},
});

/** @param {string} text @returns {Row} */
const emptyRow = (text) => ({
  key: `empty ${text}`,
  make: () => el("p", { class: "qc-hint", text }),
  update: () => {},
});

/** @param {import("./types.js").Summary} one @returns {Row} */
const conversationRow = (one) => ({
  key: one.id,
  make: () =>
    el(
      "a",
      { href: hashOf(one.id), class: "qc-conversation", "data-conversation-id": one.id },
      el("span", { class: "qc-conversation-title", dir: "auto" }),
    ),
  update(node) {
    const title = /** @type {HTMLElement} */ (node.firstElementChild);
    setText(title, one.title || words.untitled);
    node.title = one.title;
    if (one.id === state.openId) node.setAttribute("aria-current", "page");
    else node.removeAttribute("aria-current");
    const dot = node.querySelector(".qc-running");
    if (one.running && !dot) {
      node.append(el("span", { class: "qc-running", role: "img", "aria-label": words.running, title: words.running }));
    } else if (!one.running) dot?.remove();
  },
});
