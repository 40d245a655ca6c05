/**
 * The messages of the list, in groups that the browser can leave alone: a word that comes to
 * an answer in a chat of hundreds must cost no more than one that comes to the first answer.
 * What is out of sight keeps its measured height, so nothing moves when it comes near.
 */

import { el } from "./dom.js";

const SIZE = 20;

/** @param {HTMLElement} list  Filled by this alone. */
export function createGroups(list) {
  let width = 0;

  /** @param {HTMLElement} group  Its height now is the one it has while it is out of sight. */
  function measure(group) {
    group.style.setProperty("contain-intrinsic-height", `auto ${group.getBoundingClientRect().height}px`);
    group.classList.add("qc-measured");
  }

  /** Lines break elsewhere after a change of width: measure all of them again. */
  function measureAgain() {
    const all = /** @type {HTMLElement[]} */ ([...list.children]);
    if (list.clientWidth === width) return;
    width = list.clientWidth;
    for (const group of all) group.classList.remove("qc-measured");
    all.forEach(measure);
  }
  let frame = 0;
  new ResizeObserver(() => {
    cancelAnimationFrame(frame);
    if (list.clientWidth !== width) frame = requestAnimationFrame(measureAgain);
  }).observe(list);

  /**
   * Which group each node belongs to. Nodes stay in theirs, because moving one would take the
   * focus from it; new ones come at an end, so that groups only grow or begin there.
   *
   * @param {Element[]} nodes
   */
  function groupsOf(nodes) {
    /** @type {Map<HTMLElement, Element[]>} */
    const groups = new Map();
    const own = (/** @type {Element | undefined} */ node) =>
      node?.parentElement?.parentElement === list ? node.parentElement : null;
    /** @type {HTMLElement | null} */
    let current = null;
    nodes.forEach((node, index) => {
      const mine = own(node);
      const full = !current || (groups.get(current)?.length ?? 0) >= SIZE;
      const between = current !== null && own(nodes.slice(index).find(own)) === current;
      if (mine && (mine === current || !groups.has(mine))) current = mine;
      else if (full && !between) current = el("div", { class: "qc-group" });
      const group = /** @type {HTMLElement} */ (current);
      groups.set(group, [...(groups.get(group) ?? []), node]);
    });
    return groups;
  }

  /** Show these nodes in this order; those that are right already are not touched. @param {Element[]} nodes */
  return function place(nodes) {
    const groups = groupsOf(nodes);
    arrange(list, [...groups.keys()]);
    for (const [group, members] of groups) arrange(group, members);
    const fresh = [...groups.keys()].filter((group) => !group.classList.contains("qc-measured"));
    if (!fresh.length) return;
    requestAnimationFrame(() => {
      for (const group of fresh) if (group.isConnected && group !== list.lastElementChild) measure(group);
    });
  };
}

/** @param {Element} parent @param {Element[]} children */
function arrange(parent, children) {
  const wanted = new Set(children);
  for (const node of [...parent.children]) if (!wanted.has(node)) node.remove();
  children.forEach((node, index) => {
    const there = parent.children[index];
    if (there !== node) parent.insertBefore(node, there ?? null);
  });
}
