/** The left side bar: a new chat, the search, the list of conversations, and the foot. */

import * as actions from "./actions.js";
import { focusFirst, list, refresh, startList } from "./conversation-list.js";
import * as conversations from "./conversations.js";
import { el, icon, iconButton, isComposing, isNarrow } from "./dom.js";
import { importCard, startImportCard } from "./import-card.js";
import { closeDrawer, togglePanel } from "./panels.js";
import { open } from "./router.js";
import { searchFor, settled } from "./search.js";
import { on, state } from "./store.js";
import { strings } from "./strings.js";
import { startTemporary, temporaryButton } from "./temporary.js";
import { themeSwitch } from "./theme.js";
import { dropPlace, startTransfer, transferMenu } from "./transfer.js";

const words = strings.sidebar;

const field = el("input", {
  id: "conversation-search",
  type: "search",
  placeholder: words.search,
  "aria-label": words.searchLabel,
  "aria-controls": list.id,
  autocomplete: "off",
  spellcheck: "false",
});

export const sidebar = el(
  "div",
  { class: "qc-side" },
  el(
    "div",
    { class: "qc-side-head" },
    el("img", { src: "/assets/icons/qwenchat.svg", alt: "", width: 24, height: 24 }),
    el("span", { class: "qc-brand", text: strings.app }),
    iconButton("sidebar", words.close, () => togglePanel("sidebar", false)),
  ),
  el(
    "div",
    { class: "qc-side-new" },
    el(
      "button",
      { type: "button", id: "new-chat", class: "qc-new-chat", onClick: startNew },
      icon("plus"),
      words.newChat,
    ),
    temporaryButton,
  ),
  el("div", { class: "qc-search" }, icon("search"), field),
  list,
  importCard,
  el("div", { class: "qc-side-foot" }, themeSwitch, transferMenu),
  dropPlace,
);

export function startSidebar() {
  field.addEventListener("input", () => searchFor(field.value, refresh));
  field.addEventListener("keydown", (event) => !isComposing(event) && void onKey(event));
  on(["conversations", "open", "conversation"], nameTab);
  startList();
  startTemporary();
  startImportCard();
  startTransfer(sidebar);
  nameTab();
}

function startNew() {
  closeDrawer();
  actions.newChat();
  document.getElementById("message-box")?.focus({ preventScroll: true });
}

/** @param {KeyboardEvent} event */
async function onKey(event) {
  if (event.key === "Escape" && field.value) {
    event.stopPropagation();
    field.value = "";
    searchFor("", refresh);
  } else if (event.key === "ArrowDown") {
    event.preventDefault();
    focusFirst();
  } else if (event.key === "Enter" && field.value.trim()) {
    const [hit] = await settled();
    if (!hit) return;
    if (isNarrow()) closeDrawer();
    open(hit.conversation_id, hit.message_id);
  }
}

/** The browser's tab is named after the open conversation. */
function nameTab() {
  const { openId, conversation } = state;
  const title = (openId && conversations.get(openId)?.title) || conversation?.title;
  document.title = title ? strings.titled(title) : strings.app;
}
