/** Pages, lines and characters of a file's text, counted as files/sections.py counts them. */

const BREAKS = { page: "\f", line: "\n" };

/**
 * A text in three: before a range, the range, and after it.
 *
 * @param {string} text
 * @param {"page"|"line"|"character"} unit
 * @param {number} from  From 1 on.
 * @param {number} to  Included.
 * @returns {[string, string, string]}
 */
export function split(text, unit, from, to) {
  const start = unit === "character" ? offsetOf(text, from - 1) : after(text, BREAKS[unit], from - 1);
  const end = unit === "character" ? offsetOf(text, to) : after(text, BREAKS[unit], to);
  return [text.slice(0, start), text.slice(start, end), text.slice(end)];
}

/** Where the text goes on after so many breaks. @param {string} text @param {string} mark @param {number} count */
function after(text, mark, count) {
  let at = 0;
  for (let passed = 0; passed < count; passed += 1) {
    const found = text.indexOf(mark, at);
    if (found < 0) return text.length;
    at = found + 1;
  }
  return at;
}

/** Where the text goes on after so many characters, of which some take two places. @param {string} text @param {number} count */
function offsetOf(text, count) {
  if (!/[\ud800-\udbff]/.test(text)) return count;
  let at = 0;
  for (let passed = 0; passed < count && at < text.length; passed += 1) {
    at += /** @type {number} */ (text.codePointAt(at)) > 0xffff ? 2 : 1;
  }
  return at;
}
