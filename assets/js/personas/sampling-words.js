/** Sampling parameters as a short line to read. */

import { number } from "../numbers.js";
import { strings } from "../strings.js";

/** @param {Record<string, any>} sampling @returns {[name: string, value: string][]} */
export const samplingParts = (sampling) =>
  Object.entries(sampling)
    .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => [
      /** @type {Record<string, string>} */ (strings.levels.parameters)[name] ?? name,
      Array.isArray(value) ? value.map((one) => JSON.stringify(one)).join(" ") : shown(name, value),
    ]);

/** @param {Record<string, any>} sampling */
export const samplingLine = (sampling) =>
  samplingParts(sampling).map((part) => part.join(" ")).join(" · ") || strings.presets.model;

/** A seed is a name, not a count. @param {string} name @param {number} value */
const shown = (name, value) =>
  name === "seed" || !Number.isInteger(value) ? String(value) : number(value);
