/**
 * Demo mode (`--demo`), made for a projector: chats are temporary, the list and the settings
 * are not there, and a new chat begins as the first one did.
 */

/** The server says so in the page's HTML. */
export const isDemo = document.documentElement.dataset.demo !== undefined;

/** One seed for all chats, so that a rehearsed question gets the rehearsed answer. */
const SEED = 1;

/**
 * What a new conversation begins with.
 *
 * @template {{sampling: Record<string, any>}} T
 * @param {T} draft
 * @returns {T & {temporary?: true}}
 */
export const inDemo = (draft) =>
  isDemo ? { ...draft, sampling: { seed: SEED, ...draft.sampling }, temporary: true } : draft;
