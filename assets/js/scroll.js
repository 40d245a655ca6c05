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

  /** Run something that adds content above without moving what is being read. */
  function keepPlace(/** @type {() => void} */ change) {
    const before = distance();
    following = false;
    change();
    scroller.scrollTop = scroller.scrollHeight - scroller.clientHeight - before;
    lastTop = scroller.scrollTop;
  }

  return { chip, toEnd, keepPlace };
}
