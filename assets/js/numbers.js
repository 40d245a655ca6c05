/** Numbers as people read them. */

const count = new Intl.NumberFormat("en");

/** @param {number} value */
export const number = (value) => count.format(value);

/** @param {number} value  One decimal below ten, none above, as speeds are read. */
export const decimal = (value) => (value < 10 ? value.toFixed(1) : Math.round(value).toString());

/** @param {number} value  As short as it goes: 1.2k. */
export function compact(value) {
  if (value < 1000) return String(value);
  return `${(value / 1000).toFixed(value < 99_950 ? 1 : 0).replace(/\.0$/, "")}k`;
}

/** @param {number} value @param {string} one @param {string} many */
export const counted = (value, one, many) =>
  value === 1 ? `1 ${one}` : `${number(value)} ${many}`;

/** @param {number} seconds */
export function duration(seconds) {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = Math.round(seconds % 60);
  return rest ? `${minutes} min ${rest} s` : `${minutes} min`;
}

/** @param {number} share  Never 100 before it is all there. */
export const percent = (share) => `${Math.floor(100 * share)} %`;

/** @param {number} bytes  In the units disks and downloads are sold in. */
export function size(bytes) {
  if (bytes >= 999.5e6) return `${(bytes / 1e9).toFixed(bytes < 99.95e9 ? 1 : 0)} GB`;
  if (bytes >= 999.5e3) return `${Math.round(bytes / 1e6)} MB`;
  return bytes >= 1000 ? `${Math.round(bytes / 1000)} kB` : `${bytes} B`;
}

/** @param {number} value  A guess has no decimals, unless little is left without them. */
export const roughly = (value) => (value < 1.95 ? value.toFixed(1) : number(Math.round(value)));

/** @param {number} seconds  Time that is left, in one unit. */
export function timeLeft(seconds) {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  return `${roughly(seconds / 3600)} h`;
}
