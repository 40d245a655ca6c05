/** Searching titles and messages, which the server does; stale answers are dropped. */

import { api, reasonOf } from "./api.js";

const WAIT_MS = 120;
const SLOW_MS = 500;

/** What is searched for, and what was found; `hits` is null while nothing is searched for. */
export const search = {
  query: "",
  /** @type {import("./types.js").Hit[] | null} */
  hits: null,
  more: false,
  /** Why it did not work, or "". */
  problem: "",
  /** It takes so long that somebody wonders. */
  slow: false,
};

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let slowTimer;
let running = new AbortController();
/** @type {Promise<void>} */
let answered = Promise.resolve();
/** Begins the request that waits for the end of typing. @type {(() => void) | null} */
let begin = null;

/**
 * Search for something else.
 *
 * @param {string} text
 * @param {() => void} onChange  Called when there is something new to show.
 */
export function searchFor(text, onChange) {
  const query = text.trim();
  if (query === search.query) return;
  ask(query, WAIT_MS, onChange);
}

/** Search for the same once more, because what is found has changed. @param {() => void} onChange */
export function searchAgain(onChange) {
  if (search.query) ask(search.query, 0, onChange);
}

/** What was found once the last request is answered, at once begun if it still waits. */
export async function settled() {
  begin?.();
  await answered;
  return search.hits ?? [];
}

/** @param {string} query @param {number} wait @param {() => void} onChange */
function ask(query, wait, onChange) {
  clearTimeout(timer);
  begin = null;
  running.abort();
  clearTimeout(slowTimer);
  search.slow = false;
  search.query = query;
  if (!query) {
    Object.assign(search, { hits: null, more: false, problem: "" });
    return onChange();
  }
  running = new AbortController();
  const { signal } = running;
  answered = new Promise((resolve) => {
    begin = () => {
      clearTimeout(timer);
      begin = null;
      void request(query, signal, onChange).then(resolve);
    };
    signal.addEventListener("abort", () => resolve());
  });
  timer = setTimeout(begin ?? (() => {}), wait);
  slowTimer = setTimeout(() => {
    search.slow = true;
    onChange();
  }, SLOW_MS);
}

/** @param {string} query @param {AbortSignal} signal @param {() => void} onChange */
async function request(query, signal, onChange) {
  try {
    const { hits, more } = await api.search(query, signal);
    if (signal.aborted) return;
    Object.assign(search, { hits, more, problem: "" });
  } catch (error) {
    if (signal.aborted) return;
    Object.assign(search, { hits: [], more: false, problem: reasonOf(error) });
  }
  clearTimeout(slowTimer);
  search.slow = false;
  onChange();
}
