// @ts-check
/**
 * What Chinese, Japanese and Korean text needs of a markdown parser made for words with
 * spaces between them.
 */

/** Letters and full-width punctuation of CJK scripts. */
const CJK =
  /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}\u3000-\u303F\uFE30-\uFE4F\uFF00-\uFFEF]$/u;

/** Punctuation that ends a web address in running Chinese text. */
const ENDS_ADDRESS = /[\u3000-\u303F\uFE30-\uFE4F\uFF01-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65“”‘’…—]/;

/** @param {string} text @param {number} end */
function characterBefore(text, end) {
  if (end <= 0) return " ";
  const low = text.charCodeAt(end - 1);
  const isPair = low >= 0xdc00 && low <= 0xdfff && end > 1;
  return String.fromCodePoint(/** @type {number} */ (text.codePointAt(end - (isPair ? 2 : 1))));
}

/**
 * Let `**` open and close beside CJK characters. CommonMark decides by spaces and
 * punctuation, so `**“重要”**后面` would show its asterisks.
 *
 * @param {any} md
 */
export function allowEmphasisInCjk(md) {
  const { isWhiteSpace, isMdAsciiPunct, isPunctChar } = md.utils;
  /** @param {string} char */
  const isPunctuation = (char) =>
    isMdAsciiPunct(char.codePointAt(0)) || isPunctChar(char);

  md.inline.State = class extends md.inline.State {
    /** @param {number} start @param {boolean} canSplitWord */
    scanDelims(start, canSplitWord) {
      const scanned = super.scanDelims(start, canSplitWord);
      if (!canSplitWord) return scanned;
      const end = start + scanned.length;
      const before = characterBefore(this.src, start);
      const after =
        end < this.posMax ? String.fromCodePoint(this.src.codePointAt(end)) : " ";
      if (!CJK.test(before) && !CJK.test(after)) return scanned;
      const spaceBefore = isWhiteSpace(before.codePointAt(0));
      const spaceAfter = isWhiteSpace(after.codePointAt(0));
      if (spaceBefore || spaceAfter) {
        return { ...scanned, can_open: !spaceAfter, can_close: !spaceBefore };
      }
      // An opening bracket cannot be the end of what is bold, nor a comma its beginning.
      const opens = !(isPunctuation(after) && /[\p{Pe}\p{Pf}，。；：！？、]/u.test(after));
      const closes = !(isPunctuation(before) && /[\p{Ps}\p{Pi}]/u.test(before));
      return { ...scanned, can_open: opens, can_close: closes };
    }
  };
}

/**
 * End bare web addresses at CJK punctuation: `见https://example.com/a，然后`.
 *
 * @param {any} md
 */
export function endAddressesAtCjkPunctuation(md) {
  /** @param {any} match */
  const trim = (match) => {
    const surplus = match ? match.text.length - match.text.search(ENDS_ADDRESS) : 0;
    if (!match || surplus > match.text.length) return match;
    match.lastIndex -= surplus;
    for (const part of ["raw", "text", "url"]) match[part] = match[part].slice(0, -surplus);
    return match;
  };
  const { linkify } = md;
  const match = linkify.match.bind(linkify);
  const matchAtStart = linkify.matchAtStart.bind(linkify);
  linkify.match = (/** @type {string} */ text) => match(text)?.map(trim) ?? null;
  linkify.matchAtStart = (/** @type {string} */ text) => trim(matchAtStart(text));
}
