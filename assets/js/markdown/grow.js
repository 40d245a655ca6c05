// @ts-check
/**
 * By far the commonest change: something was added at one place of a block's HTML and nothing
 * else is different. Then only what was added is parsed, and only that place is touched.
 */

/** As the parser's renderer escapes text. @type {Record<string, string>} */
const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"' };
const TAG = /<(\/?)([a-z0-9]+)[^>]*>/g;
const VOID = new Set(["br", "hr", "input"]);

/**
 * Where `after` has something that `before` has not, between two tags or after a text.
 *
 * @param {string} before @param {string} after
 * @returns {{at: number, added: string} | null}
 */
function findAddition(before, after) {
  const length = after.length - before.length;
  if (length <= 0) return null;
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  const tag = before.lastIndexOf("<", at - 1);
  if (tag > before.lastIndexOf(">", at - 1)) at = tag;
  const entity = before.lastIndexOf("&", at - 1);
  if (entity > before.lastIndexOf(";", at - 1)) at = entity;
  if (before[at] !== "<" || !after.endsWith(before.slice(at))) return null;
  return { at, added: after.slice(at, at + length) };
}

/** @param {string} html */
function isBalanced(html) {
  let depth = 0;
  for (const [, closes, name] of html.matchAll(TAG)) {
    if (!VOID.has(name)) depth += closes ? -1 : 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/**
 * The open elements at the end of `html`: their names, and how many children each has so far.
 *
 * @param {string} html
 */
function openElements(html) {
  const open = [{ name: "", children: 0 }];
  for (const [, closes, name] of html.matchAll(TAG)) {
    if (closes) {
      open.pop();
    } else {
      open[open.length - 1].children++;
      if (!VOID.has(name)) open.push({ name, children: 0 });
    }
  }
  return open.slice(1);
}

/**
 * @param {Element} element the page's, made from `before`
 * @param {string} before @param {string} after HTML of one element
 * @param {(html: string) => ParentNode} toNodes
 * @returns {boolean} whether the change was such an addition and is done
 */
export function grow(element, before, after, toNodes) {
  const addition = findAddition(before, after);
  if (!addition) return false;
  const { at, added } = addition;
  const isText = !/[<>]/.test(added);
  if (!isText && !isBalanced(added)) return false;
  const open = openElements(before.slice(0, at));
  if (!open.length) return false;

  let parent = element;
  for (const { children } of open.slice(0, -1)) parent = parent.children[children - 1];
  if (parent.localName !== open[open.length - 1].name) return false;
  // Coloured code has elements of which its source knows nothing; code only grows at its end.
  const isCode = parent.matches("pre > code");
  const next = isCode ? null : (parent.children[open[open.length - 1].children] ?? null);
  const last = next ? next.previousSibling : parent.lastChild;

  /** @type {Node[]} */
  let nodes;
  if (isText) {
    const text = added.replace(/&\w+;/g, (entity) => ENTITIES[entity]);
    nodes = [document.createTextNode(text)];
  } else {
    // Rows and cells are only parsed inside a table.
    const opening = open.map(({ name }) => `<${name}>`).join("");
    const closing = open.map(({ name }) => `</${name}>`).reverse().join("");
    let context = /** @type {Node} */ (toNodes(opening + added + closing));
    for (let depth = 0; depth < open.length && context.firstChild; depth++) {
      context = context.firstChild;
    }
    nodes = [...context.childNodes];
  }
  if (last instanceof Text && nodes[0] instanceof Text) {
    last.appendData(nodes[0].data);
    nodes.shift();
  }
  for (const node of nodes) parent.insertBefore(node, next);
  return true;
}
