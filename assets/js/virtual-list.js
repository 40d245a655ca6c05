/**
 * A list of which only what can be seen is in the page, so that thousands of rows open and
 * scroll like a few. Every entry says how high it is; nothing is measured.
 */

import { el } from "./dom.js";

/** Drawn above and below what can be seen, in pixels. */
const OVERSCAN = 320;

/** @typedef {{key: string, height: number}} Entry */

/**
 * @template {Entry} T
 * @param {HTMLElement} scroller
 * @param {{make: (entry: T) => HTMLElement, update: (node: HTMLElement, entry: T) => void,
 *   drawn: () => void}} rows
 *   A node is made once for each entry that comes into sight, and updated with every drawing.
 */
export function createVirtualList(scroller, { make, update, drawn }) {
  const content = el("div", { class: "qc-rows", role: "list" });
  scroller.append(content);
  /** @type {T[]} */
  let entries = [];
  /** Where each entry begins, and at last where all end. */
  let tops = [0];
  /** @type {Map<string, number>} */
  let indexes = new Map();
  /** @type {Map<string, HTMLElement>} */
  const nodes = new Map();
  let viewport = 0;
  let scheduled = false;

  new ResizeObserver(() => {
    viewport = scroller.clientHeight;
    draw();
  }).observe(scroller);
  scroller.addEventListener("scroll", draw, { passive: true });

  function schedule() {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(() => scheduled && draw());
  }

  /** @param {number} y @returns {number} the entry that stands there */
  function indexAt(y) {
    let low = 0;
    let high = entries.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (tops[middle] <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  function draw() {
    scheduled = false;
    const top = scroller.scrollTop;
    const first = indexAt(top - OVERSCAN);
    const last = indexAt(top + viewport + OVERSCAN);
    const focused = [...nodes].find(([, node]) => node.contains(document.activeElement))?.[0];
    const kept = focused === undefined ? undefined : indexes.get(focused);
    const wanted = entries.slice(first, last + 1);
    // What has the focus stays, however far away, or the keyboard would lose its place.
    if (kept !== undefined && kept < first) wanted.unshift(entries[kept]);
    if (kept !== undefined && kept > last) wanted.push(entries[kept]);
    const keys = new Set(wanted.map(({ key }) => key));
    for (const [key, node] of nodes) {
      if (keys.has(key)) continue;
      nodes.delete(key);
      node.remove();
    }
    const shown = wanted.map((entry) => {
      let node = nodes.get(entry.key);
      if (!node) nodes.set(entry.key, (node = make(entry)));
      const y = `${tops[indexes.get(entry.key) ?? 0]}px`;
      if (node.style.top !== y) node.style.top = y;
      update(node, entry);
      return node;
    });
    const anchor = focused === undefined ? -1 : wanted.findIndex(({ key }) => key === focused);
    inOrder(content, shown, Math.max(0, anchor));
    drawn();
  }

  return {
    content,
    draw,
    schedule,
    entries: () => entries,
    /** @param {string} key */
    node: (key) => nodes.get(key),
    /** @param {string} key @returns {number} -1 when it is not in the list */
    indexOf: (key) => indexes.get(key) ?? -1,

    /**
     * Show these entries from the next frame on.
     *
     * @param {T[]} next
     * @param {number | null} [place]  Where to scroll; when left out what is seen stays there.
     */
    set(next, place = null) {
      const before = scroller.scrollTop;
      const seen = place === null && before > 0 ? entries[indexAt(before)] : undefined;
      const offset = seen ? before - tops[indexes.get(seen.key) ?? 0] : 0;
      entries = next;
      tops = [0];
      indexes = new Map();
      entries.forEach(({ key, height }, index) => {
        tops.push(tops[index] + height);
        indexes.set(key, index);
      });
      content.style.height = `${tops[entries.length]}px`;
      const still = seen && indexes.get(seen.key);
      if (place !== null) scroller.scrollTop = place;
      else if (still !== undefined) {
        const y = tops[still] + offset;
        if (y !== before) scroller.scrollTop = y;
      }
      schedule();
    },

    /**
     * Scroll as little as it takes to see an entry, and with it what is above it where that
     * is of another height, as a heading is.
     *
     * @param {string} key
     */
    reveal(key) {
      const index = indexes.get(key);
      if (index === undefined) return;
      const before = index > 0 && entries[index - 1].height !== entries[index].height ? index - 1 : index;
      const from = tops[before]; // with the heading above it
      const to = tops[index + 1];
      if (from < scroller.scrollTop) scroller.scrollTop = from;
      else if (to > scroller.scrollTop + viewport) scroller.scrollTop = to - viewport;
      draw();
    },
  };
}

/**
 * Make these the children, in this order, without moving the one at `fixed`: moved nodes
 * lose the focus.
 *
 * @param {HTMLElement} parent
 * @param {HTMLElement[]} nodes
 * @param {number} fixed
 */
function inOrder(parent, nodes, fixed) {
  if (!nodes.length) return;
  if (nodes[fixed].parentNode !== parent) parent.append(nodes[fixed]);
  for (let at = fixed - 1; at >= 0; at -= 1) {
    if (nodes[at].nextSibling !== nodes[at + 1]) parent.insertBefore(nodes[at], nodes[at + 1]);
  }
  for (let at = fixed + 1; at < nodes.length; at += 1) {
    if (nodes[at - 1].nextSibling !== nodes[at]) nodes[at - 1].after(nodes[at]);
  }
}
