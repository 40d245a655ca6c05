/** Numbers as people read them, in the chosen language. */

import { language, locale } from "./language.js";
import { units as english } from "./strings/en/units.js";

/** @type {typeof english} Not by strings.js, whose words need this module. */
const units =
  language === "en" ? english : (await import(`./strings/${language}/units.js`)).units;

const count = new Intl.NumberFormat(locale);
const tenths = new Intl.NumberFormat(locale, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** @param {number} value */
export const number = (value) => count.format(value);

/** @param {number} value  With one decimal, always. */
export const tenth = (value) => tenths.format(value);

/** @param {number} value  One decimal below ten, none above, as speeds are read. */
export const decimal = (value) => (value < 10 ? tenth(value) : number(Math.round(value)));

/** @param {number} value  As short as it goes: 1.2k. */
export function compact(value) {
  if (value < 1000) return String(value);
  const rounded = value < 99_950 ? Math.round(value / 100) / 10 : Math.round(value / 1000);
  return `${number(rounded)}k`;
}

/** @param {number} value @param {string} one @param {string} many */
export const counted = (value, one, many) =>
  value === 1 ? `1 ${one}` : `${number(value)} ${many}`;

/** @param {number} seconds */
export function duration(seconds) {
  if (seconds < 60) return units.seconds(number(Math.max(1, Math.round(seconds))));
  const minutes = units.minutes(number(Math.floor(seconds / 60)));
  const rest = Math.round(seconds % 60);
  return rest ? `${minutes} ${units.seconds(number(rest))}` : minutes;
}

/** @param {number} seconds  Of a wait that is over: one decimal below ten. */
export const spent = (seconds) => units.seconds(decimal(seconds));

/** @param {number} share  Never 100 before it is all there. */
export const percent = (share) => units.percent(number(Math.floor(100 * share)));

/** @param {number} bytes  In the units disks and downloads are sold in. */
export function size(bytes) {
  if (bytes >= 99.95e9) return `${number(Math.round(bytes / 1e9))} GB`;
  if (bytes >= 999.5e6) return `${tenth(bytes / 1e9)} GB`;
  if (bytes >= 999.5e3) return `${Math.round(bytes / 1e6)} MB`;
  return bytes >= 1000 ? `${Math.round(bytes / 1000)} kB` : `${bytes} B`;
}

/** @param {number} value  A guess has no decimals, unless little is left without them. */
export const roughly = (value) => (value < 1.95 ? tenth(value) : number(Math.round(value)));

/** @param {number} seconds  Time that is left, in one unit. */
export function timeLeft(seconds) {
  if (seconds < 90) return units.seconds(number(Math.max(1, Math.round(seconds))));
  if (seconds < 90 * 60) return units.minutes(number(Math.round(seconds / 60)));
  return units.hours(roughly(seconds / 3600));
}
