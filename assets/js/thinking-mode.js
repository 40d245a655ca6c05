/** Whether the model that is loaded thinks, and with which sampling it does either. */

import { state } from "./store.js";

/** @typedef {"auto"|"on"|"off"} Wish */

export const isHybrid = () => state.engine?.thinking === "hybrid";

/** Whether an answer is thought about, as the switch stands. @param {Wish} wish */
export function isThinking(wish) {
  const engine = state.engine;
  if (!isHybrid() || wish === "auto") return engine?.thinks ?? false;
  return wish === "on";
}

/** The sampling the model recommends for that. @param {Wish} wish @returns {Record<string, any>} */
export function modelDefaults(wish) {
  const ways = state.engine?.defaults_by_thinking;
  return (ways ? ways[isThinking(wish) ? "on" : "off"] : state.engine?.defaults) ?? {};
}
