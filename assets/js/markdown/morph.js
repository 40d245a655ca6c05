// @ts-check
/**
 * Turn one piece of the page into another with as few changes as possible, so that what a
 * reader has selected stays selected while the text after it grows.
 */

/**
 * Called for elements of the same name; returns true when it has seen to everything.
 *
 * @callback Special
 * @param {Element} current @param {Element} wanted @returns {boolean}
 */

/** @param {Text} current @param {string} wanted */
function morphText(current, wanted) {
  const { data } = current;
  if (data === wanted) return;
  if (wanted.startsWith(data)) {
    current.appendData(wanted.slice(data.length));
    return;
  }
  let same = 0;
  while (same < data.length && data[same] === wanted[same]) same++;
  current.replaceData(same, data.length - same, wanted.slice(same));
}

/** @param {Element} current @param {Element} wanted */
function morphAttributes(current, wanted) {
  for (const { name } of [...current.attributes]) {
    if (!wanted.hasAttribute(name)) current.removeAttribute(name);
  }
  for (const { name, value } of wanted.attributes) {
    if (current.getAttribute(name) !== value) current.setAttribute(name, value);
  }
}

/**
 * @param {Node} current @param {Node} wanted @param {Special} special
 * @returns {Node} what is in the page now
 */
export function morph(current, wanted, special) {
  if (current.nodeType === Node.TEXT_NODE && wanted.nodeType === Node.TEXT_NODE) {
    morphText(/** @type {Text} */ (current), /** @type {Text} */ (wanted).data);
    return current;
  }
  if (
    current instanceof Element &&
    wanted instanceof Element &&
    current.nodeName === wanted.nodeName
  ) {
    if (special(current, wanted)) return current;
    morphAttributes(current, wanted);
    morphChildren(current, wanted, special);
    return current;
  }
  /** @type {ChildNode} */ (current).replaceWith(wanted);
  return wanted;
}

/** @param {Node} current @param {Node} wanted @param {Special} special */
export function morphChildren(current, wanted, special) {
  let node = current.firstChild;
  let next = wanted.firstChild;
  while (next) {
    const following = next.nextSibling;
    if (node) {
      node = morph(node, next, special).nextSibling;
    } else {
      current.appendChild(next);
    }
    next = following;
  }
  while (node) {
    const following = node.nextSibling;
    node.remove();
    node = following;
  }
}
