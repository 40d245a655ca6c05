/**
 * Matching sentences against a table of templates, in which `{name}` stands for any text,
 * `{#name}` for a number or size, and `{~name}` for words that are translated themselves.
 *
 * A text is cut into sentences so that as much of it as possible is known: of all ways the one
 * whose templates have the most letters of their own. What no template matches stays.
 */

/** No message of ours is longer; a program's output may be, and stays as it is. */
const LONGEST = 3000;
/** Ways of one template at one place; only texts made to confuse have more. */
const MOST_WAYS = 40;
const NUMBER = /^[+-]?[\d.,]+( ?[kKMGT]?i?B| %)?$/;
const PLACE = /\{([~#]?)(\w+)\}/;
/** Own letters of a template that says next to nothing by itself. */
const FEW_LETTERS = 3;
/** The end of a sentence inside a value is more likely the end of ours. */
const SPLIT_PENALTY = 25;
const END = /[.!?…](?= |$)/g;

/**
 * @typedef {{name: string, kind: "" | "~" | "#"}} Place
 * @typedef {{literals: string[], places: Place[], own: number, target: string}} Template
 * @typedef {{end: number, score: number, text: string}} Way
 * @typedef {{score: number, parts: {text: string, known: boolean, gap: string}[]}} Reading
 */

/** @param {string} english @param {string} target @returns {Template} */
function compile(english, target) {
  const pieces = english.split(new RegExp(PLACE, "g"));
  /** @type {Template} */
  const template = { literals: [pieces[0]], places: [], own: 0, target };
  for (let at = 1; at < pieces.length; at += 3) {
    template.places.push({ kind: /** @type {Place["kind"]} */ (pieces[at]), name: pieces[at + 1] });
    template.literals.push(pieces[at + 2]);
  }
  template.own = template.literals.reduce((sum, literal) => sum + literal.trim().length, 0);
  return template;
}

/** @param {Record<string, string>} table  English to the language. */
export function createTranslator(table) {
  /** By their first letter; those that begin with a place under "". @type {Map<string, Template[]>} */
  const byLetter = new Map();
  for (const [english, target] of Object.entries(table)) {
    const template = compile(english, target);
    const letter = template.literals[0].charAt(0);
    byLetter.set(letter, [...(byLetter.get(letter) ?? []), template]);
  }

  /** @param {string} text @returns {Reading} */
  function read(text) {
    if (text.length > LONGEST) return { score: 0, parts: [{ text, known: false, gap: "" }] };
    const ends = [...text.matchAll(END)].map(({ index }) => index + 1);
    if (ends.at(-1) !== text.length) ends.push(text.length);
    /** The best reading of what is left from a place on. @type {Map<number, Reading>} */
    const known = new Map();

    /** @param {number} start @returns {Reading} */
    const from = (start) => {
      if (start >= text.length) return { score: 0, parts: [] };
      const before = known.get(start);
      if (before) return before;
      /** @type {Reading | null} */
      let best = null;
      const take = (/** @type {number} */ end, /** @type {number} */ score, /** @type {string} */ said, isKnown = true) => {
        const gap = /^\s*/.exec(text.slice(end))?.[0] ?? "";
        const rest = from(end + gap.length);
        const total = score + rest.score;
        if (best && best.score >= total) return;
        best = { score: total, parts: [{ text: said, known: isKnown, gap }, ...rest.parts] };
      };
      for (const template of [...(byLetter.get(text[start]) ?? []), ...(byLetter.get("") ?? [])]) {
        for (const way of waysOf(template, text, start, ends)) take(way.end, way.score, way.text);
      }
      const end = ends.find((one) => one > start) ?? text.length;
      take(end, 0, text.slice(start, end), false);
      const found = /** @type {Reading} */ (/** @type {unknown} */ (best));
      known.set(start, found);
      return found;
    };
    return from(0);
  }

  /** @param {Template} template @param {string} text @param {number} start @param {number[]} ends @returns {Way[]} */
  function waysOf(template, text, start, ends) {
    const { literals, places } = template;
    if (!text.startsWith(literals[0], start)) return [];
    // Most do not match: told by looking for their literals once, in order.
    let at = start + literals[0].length;
    for (const literal of literals.slice(1)) {
      at = text.indexOf(literal, at);
      if (at < 0) return [];
      at += literal.length;
    }
    /** @type {Way[]} */
    const ways = [];
    /** @param {number} index @param {number} at @param {string[]} values */
    const walk = (index, at, values) => {
      if (ways.length >= MOST_WAYS) return;
      if (index === places.length) {
        if (at === text.length || /\s/.test(text[at])) {
          if (template.own < FEW_LETTERS && !isSaid(places, values)) return;
          ways.push({ end: at, score: template.own + worth(places, values), text: fill(template, values) });
        }
        return;
      }
      const literal = literals[index + 1];
      const isLast = literal === "" && index === places.length - 1;
      const stops = isLast ? ends.filter((end) => end > at) : occurrences(text, literal, at + 1);
      for (const stop of stops) {
        const value = text.slice(at, stop);
        if (places[index].kind === "#" && !NUMBER.test(value)) continue;
        walk(index + 1, stop + literal.length, [...values, value]);
      }
    };
    walk(0, start + literals[0].length, []);
    return ways;
  }

  /**
   * Whether what a template without letters of its own ends with is known: else it would match
   * nearly everything.
   *
   * @param {Place[]} places @param {string[]} values
   */
  const isSaid = (places, values) => {
    const last = places.findLastIndex(({ kind }) => kind === "~");
    return last < 0 || translated(values[last]).unknown.length === 0;
  };

  /** @param {Place[]} places @param {string[]} values */
  const worth = (places, values) =>
    places.reduce((sum, { kind }, index) => {
      const value = values[index];
      if (kind === "~") return sum + translated(value).score;
      return sum - SPLIT_PENALTY * [...value.matchAll(/[.!?] [A-Z]/g)].length;
    }, 0);

  /** @param {Template} template @param {string[]} values */
  function fill({ target, places }, values) {
    const byName = new Map(
      places.map(({ name, kind }, index) => [name, kind === "~" ? translated(values[index]).text : values[index]]),
    );
    return target
      .replace(new RegExp(PLACE, "g"), (_, _kind, name) => byName.get(name) ?? "")
      .replace(/([。！？…])[。.]/g, "$1");
  }

  /** @type {Map<string, {text: string, score: number, unknown: string[]}>} */
  const cache = new Map();

  /** @param {string} text */
  function translated(text) {
    const before = cache.get(text);
    if (before) return before;
    cache.set(text, { text, score: 0, unknown: [text] }); // an inner place that is the whole text
    const result = best(text);
    if (cache.size > 2000) cache.clear();
    cache.set(text, result);
    return result;
  }

  /** As it is, or as the part of a longer sentence that it may be. @param {string} text */
  function best(text) {
    const plain = said(read(text));
    if (!plain.unknown.length) return plain;
    const capital = text.charAt(0).toUpperCase() + text.slice(1);
    for (const other of [`${text}.`, capital, `${capital}.`]) {
      const result = said(read(other));
      if (!result.unknown.length) {
        return { ...result, text: other.length > text.length ? result.text.replace(/[。.]$/, "") : result.text };
      }
    }
    return plain;
  }

  /** @param {Reading} reading */
  function said({ score, parts }) {
    let text = "";
    for (const [index, { text: sentence, gap }] of parts.entries()) {
      const isLast = index === parts.length - 1;
      const joins = /[。！？：；，…”）]$/.test(sentence) && !gap.includes("\n");
      text += sentence + (isLast || joins ? "" : gap);
    }
    return { text, score, unknown: parts.filter((part) => !part.known).map((part) => part.text) };
  }

  return {
    /** @param {string} text */
    translate: (text) => (text ? translated(text).text : text),
    /** The sentences of a text that stay as they are. @param {string} text */
    unknown: (text) => translated(text).unknown,
  };
}

/** Where `literal` stands in `text` from `start` on. @param {string} text @param {string} literal @param {number} start */
function occurrences(text, literal, start) {
  /** @type {number[]} */
  const found = [];
  for (let at = text.indexOf(literal, start); at >= 0; at = text.indexOf(literal, at + 1)) found.push(at);
  return found;
}
