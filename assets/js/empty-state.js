/** What the chat shows before the first message, and the cards about the model itself. */

import * as actions from "./actions.js";
import { createCard } from "./card.js";
import { el, icon, setText } from "./dom.js";
import { createOffer } from "./models/offer.js";
import { createStart } from "./personas/start.js";
import { on, state } from "./store.js";
import { strings } from "./strings.js";

/** A server that is slow to tell is not waited for longer. */
const UNSURE_MS = 1000;

/** The first screen: name, promise, what the model is, how loading goes, things to try. */
export function createEmptyState() {
  const name = el("h1");
  const note = el("p", { class: "qc-model-note" });
  const loading = createLoadingCard();
  const engineCard = createEngineCard();
  const root = el(
    "section",
    { class: "qc-empty" },
    el("div", { class: "qc-hero" }, name, el("p", { text: strings.privacy }), note),
    createOffer(),
    loading.root,
    engineCard.root,
    ...createStart(start),
  );
  // What stands here moves when it is known which model answers: not before anybody's eyes.
  root.classList.add("qc-unsure");
  const sure = () => root.classList.remove("qc-unsure");
  on("choice", sure);
  setTimeout(sure, UNSURE_MS);
  return {
    root,
    /** @param {boolean} visible */
    show(visible) {
      root.hidden = !visible;
      setText(name, state.engine?.model || strings.app);
      setText(note, state.engine?.model_note ?? "");
      note.hidden = !state.engine?.model_note;
      loading.show();
      engineCard.show(visible);
    },
  };
}

/** A start card fills the message box and sends it. @param {string} text */
function start(text) {
  const box = /** @type {HTMLTextAreaElement | null} */ (document.getElementById("message-box"));
  if (!box) return;
  box.value = text;
  box.form?.requestSubmit();
}

/** The stages of loading with a bar; never a spinner alone. */
function createLoadingCard() {
  const title = el("p", { class: "qc-card-title" });
  const stages = el("ol", { class: "qc-stages" });
  const bar = el("span");
  const track = el("div", { class: "qc-bar", role: "progressbar", "aria-label": strings.status.loading }, bar);
  const hint = el("p", { class: "qc-hint", text: strings.loading.hint });
  const root = el("div", { class: "qc-card qc-loading", id: "loading-card" }, title, stages, track, hint);
  return {
    root,
    show() {
      const engine = state.engine;
      root.hidden = engine?.state !== "loading" && engine?.state !== "starting";
      if (root.hidden || !engine) return;
      const loading = engine.state === "loading";
      setText(title, (loading ? strings.loading.title : strings.loading.startingTitle)(engine.model));
      const share = engine.total > 0 ? engine.done / engine.total : null;
      drawStages(stages, engine.stage, share);
      track.toggleAttribute("data-indeterminate", share === null);
      if (share === null) track.removeAttribute("aria-valuenow");
      else track.setAttribute("aria-valuenow", String(Math.floor(100 * share)));
      bar.style.transform = share === null ? "" : `scaleX(${share})`;
    },
  };
}

/** @param {HTMLElement} list @param {string} current @param {number | null} share */
function drawStages(list, current, share) {
  const names = state.stages;
  while (list.childElementCount > names.length) list.lastChild?.remove();
  names.forEach((name, index) => {
    const active = name === current;
    let item = /** @type {HTMLElement | undefined} */ (list.children[index]);
    if (!item) {
      item = el("li", {}, el("span", { class: "qc-stage-mark" }), el("span"), el("span", { class: "qc-number" }));
      list.append(item);
    }
    const [mark, text, value] = /** @type {any} */ (item.children);
    if (active === Boolean(mark.firstChild)) mark.replaceChildren(...(active ? [] : [icon("check")]));
    item.classList.toggle("qc-active", active);
    setText(text, capital(name));
    setText(value, active && share !== null ? strings.status.percent(share) : "");
  });
}

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** The card of a model that failed: why, and the way on. One that is started again: banner.js. */
export function createEngineCard() {
  const root = el("div", { class: "qc-engine-card" });
  let drawn = "";
  return {
    root,
    /** @param {boolean} visible */
    show(visible) {
      const engine = state.engine;
      const failed = engine?.state === "failed";
      root.hidden = !visible || !failed;
      const key = root.hidden ? "" : JSON.stringify([engine?.state, engine?.error]);
      if (key === drawn) return;
      drawn = key;
      if (root.hidden) return root.replaceChildren();
      root.replaceChildren(
        createCard({
          title: strings.failed.title,
          why: engine?.error?.message ?? "",
          code: engine?.error?.code,
          action: strings.status.restart,
          onAction: actions.restartEngine,
        }),
      );
    },
  };
}

/** What a link to a conversation that is gone leads to. */
export function createMissing() {
  const root = createCard({
    title: strings.missing.title,
    why: strings.missing.why,
    action: strings.missing.action,
    onAction: actions.newChat,
  });
  root.hidden = true;
  return root;
}
