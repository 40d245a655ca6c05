/** Below the top bar: how far the model is, where the chat has no room for the whole card. */

import { on, state } from "../store.js";
import { strings } from "../strings.js";
import { createBar } from "./parts.js";

const bar = createBar(strings.switching.bar);
bar.root.classList.add("qc-loading-bar");
bar.root.id = "loading-bar";
bar.root.hidden = true;

export const loadingBar = bar.root;

export function startLoadingBar() {
  on("engine", draw);
  draw();
}

function draw() {
  const engine = state.engine;
  const loads = engine?.state === "loading" || engine?.state === "starting";
  bar.root.hidden = !loads;
  if (engine) bar.update(engine.total > 0 ? engine.done / engine.total : null);
}
