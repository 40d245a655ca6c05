/**
 * The simple level of the settings: two sliders in words, each a few values of one sampling
 * parameter. Creativity is the temperature, the answer's length is `max_tokens`.
 */

/** @typedef {{parameter: string, steps: number[]}} Level */

/** By the name of their fields. @type {Record<string, Level>} */
export const LEVELS = {
  creativity: { parameter: "temperature", steps: [0.2, 0.45, 0.7, 0.9, 1.1] },
  // The last one is more than any context holds: the answer takes what it needs.
  answer_length: { parameter: "max_tokens", steps: [256, 2048, 8192, 1_000_000] },
};

/** Where the sliders stand for these sampling parameters. @param {Record<string, number>} values */
export const levelsOf = (values) =>
  Object.fromEntries(
    Object.entries(LEVELS).map(([name, { parameter, steps }]) => [name, nearest(steps, values[parameter])]),
  );

/**
 * The parameter that a slider sets; null for any other field.
 *
 * @param {string} name @param {any} step
 */
export function ofLevel(name, step) {
  const level = LEVELS[name];
  return level ? { name: level.parameter, value: level.steps[Number(step)] } : null;
}

/**
 * The step that a value is, or -1 for one between them.
 *
 * @param {string} name @param {number} value
 */
export const stepOf = (name, value) => LEVELS[name].steps.indexOf(value);

/**
 * By ratio, as both parameters are felt; in the middle while the value is not known.
 *
 * @param {number[]} steps @param {number | undefined} value
 */
function nearest(steps, value) {
  if (value === undefined) return Math.floor((steps.length - 1) / 2);
  const distances = steps.map((step) => Math.abs(Math.log((value + 0.01) / (step + 0.01))));
  return distances.indexOf(Math.min(...distances));
}
