/** Following the answer until the reader scrolls away, and a way back. */

import { el, icon } from "./dom.js";
import { strings } from "./strings.js";

const NEAR = 24;
const FAR = 120;

/**
 * @param {HTMLElement} scroller
 * @param {HTMLElement} content
 */
export function createFollower(scroller, content) {
  let following = true;
  let lastTop = 0;

  const chip = el(
    "button",
    { type: "button", class: "qc-latest", hidden: true, onClick: () => toEnd(true) },
    icon("down"),
    strings.chat.latest,
  );

  const distance = () => scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop;

  function settle() {
    const bare = scroller.classList.contains("qc-bare"); // the first screen starts at its top
    if (following) scroller.scrollTop = bare ? 0 : scroller.scrollHeight;
    lastTop = scroller.scrollTop;
    chip.hidden = following || distance() < FAR;
  }

  function toEnd(smooth = false) {
    following = true;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (smooth && !still && distance() < 4 * scroller.clientHeight) {
      scroller.scrollTo({ top: scroller.scrollHeight, behavior: "smooth" });
      chip.hidden = true;
    } else settle();
  }

  scroller.addEventListener("scroll", () => {
    const top = scroller.scrollTop;
    if (distance() <= NEAR) following = true;
    else if (top < lastTop - 1) following = false;
    lastTop = top;
    chip.hidden = following || distance() < FAR;
  }, { passive: true });
  // A wheel up must win also over the scroll that follows a burst of text.
  scroller.addEventListener("wheel", (event) => {
    if (event.deltaY < 0 && scroller.scrollTop > 0) following = false;
  }, { passive: true });

  const sizes = new ResizeObserver(settle);
  sizes.observe(scroller);
  sizes.observe(content);

  /** Stay where the reader is, whatever is added. */
  function release() {
    following = false;
    lastTop = scroller.scrollTop;
  }

  /** @param {Element} node  How far below the top of the pane it is. */
  const topOf = (node) => node.getBoundingClientRect().top - scroller.getBoundingClientRect().top;

  /**
   * Run a change of the messages without moving the one that is being read.
   *
   * @param {Iterable<HTMLElement>} messages  From the top down.
   * @param {() => void} change
   */
  function keepPlace(messages, change) {
    if (following) return change();
    /** @type {{node: HTMLElement, top: number}[]} */
    const below = [];
    // From the end, because what is far above is not laid out.
    for (const node of [...messages].reverse()) {
      const top = topOf(node);
      if (top + node.offsetHeight <= 0) break;
      below.unshift({ node, top });
    }
    change();
    const reading = below.find(({ node }) => node.isConnected);
    if (reading) moveBy(topOf(reading.node) - reading.top);
  }

  /** @param {number} pixels */
  function moveBy(pixels) {
    if (Math.abs(pixels) >= 1) scroller.scrollTop += pixels;
    lastTop = scroller.scrollTop;
  }

  return { chip, toEnd, release, keepPlace, topOf, moveBy };
}
