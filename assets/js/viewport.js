/**
 * The part of the window that an on-screen keyboard leaves. Most browsers make the window
 * smaller; Safari on a phone lays the keyboard over it, and the message box with it.
 */

/** Less than this is a bar of the browser's, no keyboard: in pixels. */
const KEYBOARD = 120;

export function startViewport() {
  const view = window.visualViewport;
  if (!view) return;
  const root = document.documentElement;
  const settle = () => {
    const covered = innerHeight - view.height;
    // Zoomed in, the visible part is small as well, and everything must stay where it is.
    if (covered > KEYBOARD && Math.abs(view.scale - 1) < 0.01) {
      root.style.setProperty("--qc-height", `${view.height}px`);
      scrollTo(0, 0);
    } else root.style.removeProperty("--qc-height");
  };
  view.addEventListener("resize", settle);
}
