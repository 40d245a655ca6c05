/** One row of the list: a link to the conversation, and the button of its menu. */

import { el, iconButton, setText } from "./dom.js";
import { hashOf } from "./router.js";
import { strings } from "./strings.js";

const words = strings.sidebar;

/**
 * What a row shows; `hit` where a search found it.
 *
 * @typedef {{id: string, title: string, running: boolean, hit: import("./types.js").Hit | null,
 *   current: boolean, position: number, total: number}} RowState
 */

/**
 * @param {string} id
 * @param {(id: string, button: HTMLElement) => void} openMenu
 */
export function createRow(id, openMenu) {
  const button = iconButton("more", "", () => openMenu(id, button), {
    class: "qc-row-more",
    "aria-haspopup": "menu",
    "aria-expanded": "false",
  });
  return el(
    "div",
    { class: "qc-row", role: "listitem" },
    el(
      "a",
      { class: "qc-conversation", "data-conversation-id": id, draggable: "false" },
      el("span", { class: "qc-conversation-title", dir: "auto" }),
    ),
    button,
  );
}

/** @param {HTMLElement} row */
export const linkOf = (row) => /** @type {HTMLAnchorElement} */ (row.firstElementChild);

/** @param {HTMLElement} row */
export const menuButtonOf = (row) => /** @type {HTMLElement} */ (row.querySelector(".qc-row-more"));

/** @param {HTMLElement} row @param {RowState} state */
export function updateRow(row, state) {
  const { id, hit, current } = state;
  const link = linkOf(row);
  const button = menuButtonOf(row);
  const title = state.title || words.untitled;
  put(row, "aria-posinset", String(state.position));
  put(row, "aria-setsize", String(state.total));
  put(link, "href", hashOf(id, hit?.message_id ?? null));
  put(link, "title", title);
  put(link, "aria-current", current ? "page" : null);
  put(button, "aria-label", words.options(title));
  put(button, "title", words.options(title));
  showTitle(/** @type {HTMLElement} */ (link.firstElementChild), title, hit);
  showSnippet(link, hit);
  showDot(link, state.running);
}

/** @param {Element} node @param {string} name @param {string | null} value */
function put(node, name, value) {
  if (node.getAttribute(name) === value) return;
  if (value === null) node.removeAttribute(name);
  else node.setAttribute(name, value);
}

/** What each node shows of a search, so that it is drawn once. @type {WeakMap<Node, any>} */
const shownPieces = new WeakMap();

/** @param {HTMLElement} node @param {import("./types.js").Pieces} pieces */
function showPieces(node, pieces) {
  if (shownPieces.get(node) === pieces) return;
  shownPieces.set(node, pieces);
  node.replaceChildren(...pieces.map(([text, isHit]) => (isHit ? el("mark", { text }) : text)));
}

/** @param {HTMLElement} node @param {string} title @param {import("./types.js").Hit | null} hit */
function showTitle(node, title, hit) {
  const found = hit?.title.map(([text]) => text).join("");
  if (hit && found === title) return showPieces(node, hit.title);
  shownPieces.delete(node);
  if (node.firstElementChild) node.replaceChildren(title); // marks of a search that is over
  else setText(node, title);
}

/** @param {HTMLElement} link @param {import("./types.js").Hit | null} hit */
function showSnippet(link, hit) {
  let node = /** @type {HTMLElement | null} */ (link.querySelector(".qc-snippet"));
  if (!hit?.snippet.length) return node?.remove();
  if (!node) link.append((node = el("span", { class: "qc-snippet", dir: "auto" })));
  showPieces(node, hit.snippet);
}

/** @param {HTMLElement} link @param {boolean} running */
function showDot(link, running) {
  const dot = link.querySelector(".qc-running");
  if (!running) return dot?.remove();
  if (dot) return;
  link.append(
    el("span", { class: "qc-running", role: "img", "aria-label": words.running, title: words.running }),
  );
}
