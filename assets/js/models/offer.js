/**
 * On the first screen of the demo model: the one model that would be better here. Its place is
 * kept free until the server has found out which one, so that nothing moves then.
 */

import { el, setText } from "../dom.js";
import { openPanel } from "../router.js";
import { on, state } from "../store.js";
import { recall, remember } from "../storage.js";
import { strings } from "../strings.js";
import { begin, isActive, shareOf, unfinishedOf } from "./downloads.js";
import { variantOf } from "./library.js";
import { createBar, createProblem, dotted, textButton } from "./parts.js";

const words = strings.offer;
const DEMO = "demo";
/** What the browser remembers: an id that was not wanted, or that there was none to offer. */
const DECLINED = "offer-declined";
const LAST = "offer-last";

export function createOffer() {
  const title = el("p", { class: "qc-card-title", dir: "auto" });
  const facts = el("p", { class: "qc-hint qc-number" });
  const bar = createBar(words.label);
  const problem = createProblem();
  const download = textButton(words.download, () => void fetch(), { class: "qc-primary" });
  const show = textButton(words.show, () => openPanel("get"));
  const all = textButton(words.all, () => openPanel("get"));
  const notNow = textButton(words.notNow, decline);
  const card = el("section", { class: "qc-offer", "aria-label": words.label },
    title, facts, bar.root, problem.root,
    el("div", { class: "qc-actions" }, download, show, all, notNow));
  const root = el("div", { class: "qc-offer-place", id: "offer", hidden: true }, card);
  let id = "";
  /** The place is kept free, or not, for as long as this screen is looked at. */
  let kept = false;
  let wasOffered = false;
  let model = "";

  async function fetch() {
    problem.update(await begin(id));
  }

  function decline() {
    remember(DECLINED, id);
    draw();
    document.getElementById("message-box")?.focus({ preventScroll: true });
  }

  function draw() {
    const offered = wanted();
    const declined = offered !== null && recall(DECLINED) === offered.variant.id;
    if (state.library && state.choice?.model === DEMO) remember(LAST, offered && !declined ? null : "none");
    root.hidden = !kept || declined || (wasOffered && !offered);
    card.hidden = !offered;
    wasOffered ||= offered !== null;
    if (!offered || declined) return;
    const { row, variant } = offered;
    ({ id } = variant);
    const arriving = unfinishedOf(id);
    const share = arriving ? shareOf([arriving]) : null;
    setText(title, words.title(row.name));
    setText(facts, arriving && share !== null && isActive(arriving)
      ? words.arriving(share)
      : dotted([strings.get.toDownload(variant.download_bytes), strings.speed.about(variant.speed.expected)]));
    bar.root.hidden = !arriving;
    bar.update(share);
    download.hidden = Boolean(arriving);
    show.hidden = !arriving;
    all.hidden = notNow.hidden = Boolean(arriving);
  }

  function keep() {
    kept = state.choice?.model === DEMO && recall(LAST) !== "none";
    wasOffered = false;
    draw();
  }

  on(["library", "downloads"], draw);
  on("choice", () => {
    const changed = model !== state.choice?.model;
    model = state.choice?.model ?? "";
    if (changed) keep();
  });
  on("open", keep);
  draw();
  return root;
}

/** The model to offer, if one is: nothing else is here, and the network may be used. */
function wanted() {
  const { library, choice } = state;
  if (!library || choice?.model !== DEMO || library.machine.offline) return null;
  if (library.installed.some((one) => one.id !== DEMO)) return null;
  return variantOf(library.best);
}
