/**
 * One calm line over the page while something it lives from is away: the connection, the app,
 * the model. It comes late enough not to flicker, goes by itself, and moves nothing.
 */

import { el, icon, setText } from "./dom.js";
import { retryNow } from "./live.js";
import { on, state } from "./store.js";
import { strings } from "./strings.js";

const words = strings.banner;

/** A connection that comes back within this was never away. */
const LOST_MS = 800;
/** Longer than a restart of the app takes. */
const AWAY_MS = 15_000;
const RESTARTED_MS = 8000;

/** @typedef {"lost"|"away"|"restarted"|"engine"} Kind */

const text = el("span", { dir: "auto" });
const button = el("button", { type: "button", class: "qc-button", hidden: true }, words.retry);
const banner = el("div", { class: "qc-banner", hidden: true }, icon("pulse"), text, button);

/** Mounted once, over everything else; it is there before it has something to say. */
export const bannerPlace = el("div", { role: "status", "aria-live": "polite" }, banner);

/** @type {ReturnType<typeof setTimeout> | undefined} */
let lostTimer;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let restartedTimer;
let restarted = false;
/** @type {"" | "lost" | "away"} */
let connection = "";
/** Why the model stopped, until it is there again: also while the next one loads. */
let stopped = "";

export function startBanner() {
  on("connection", follow);
  on("restarted", () => {
    restarted = true;
    clearTimeout(restartedTimer);
    restartedTimer = setTimeout(over, RESTARTED_MS);
    draw();
  });
  on("engine", draw);
  button.addEventListener("click", () => (kind() === "restarted" ? over() : retryNow()));
}

/** A tab that is not looked at waits like any other: its timers are only slower. */
function follow() {
  clearTimeout(lostTimer);
  connection = "";
  if (state.connection === "lost") {
    lostTimer = setTimeout(() => {
      connection = "lost";
      lostTimer = setTimeout(() => {
        connection = "away";
        draw();
      }, AWAY_MS);
      draw();
    }, LOST_MS);
  }
  draw();
}

function over() {
  clearTimeout(restartedTimer);
  restarted = false;
  draw();
}

/** The most important one. @returns {Kind | ""} */
function kind() {
  if (connection) return connection;
  if (state.connection === "lost") return "";
  if (restarted) return "restarted";
  return stopped ? "engine" : "";
}

function draw() {
  const engine = state.engine;
  if (engine?.state === "restarting" && engine.error) stopped = engine.error.message;
  if (engine?.state === "ready" || engine?.state === "failed") stopped = "";
  const now = kind();
  banner.hidden = now === "";
  banner.dataset.kind = now;
  if (!now) return setText(text, "");
  setText(text, sentence(now));
  setText(button, now === "restarted" ? words.dismiss : words.retry);
  button.hidden = now === "engine";
}

/** @param {Kind} now */
function sentence(now) {
  return now === "engine" ? `${words.engine} ${stopped}` : words[now];
}
