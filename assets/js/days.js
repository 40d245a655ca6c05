/** Under which heading of the list a conversation stands. */

import { locale } from "./language.js";
import { strings } from "./strings.js";

const words = strings.sidebar;
const months = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric" });

/** @param {number} ago  Midnight of today, or of so many days before, in seconds. */
function midnight(ago = 0) {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - ago).getTime() / 1000;
}

/**
 * A function from summaries to headings that holds until midnight.
 *
 * @returns {(one: import("./types.js").Summary) => string}
 */
export function headings() {
  const today = midnight();
  const yesterday = midnight(1);
  const week = midnight(7);
  /** Names of months by their number; to make one takes longer than all else here. */
  const names = new Map();
  return ({ pinned, updated_at }) => {
    if (pinned) return words.pinned;
    if (updated_at >= today) return words.today;
    if (updated_at >= yesterday) return words.yesterday;
    if (updated_at >= week) return words.week;
    const date = new Date(1000 * updated_at);
    const month = 12 * date.getFullYear() + date.getMonth();
    if (!names.has(month)) names.set(month, months.format(date));
    return names.get(month);
  };
}

/** Call `then` at every midnight, when the headings change. @param {() => void} then */
export function atMidnight(then) {
  const wait = 1000 * midnight(-1) - Date.now() + 500;
  setTimeout(() => {
    then();
    atMidnight(then);
  }, wait);
}
