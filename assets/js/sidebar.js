/** The left side bar: a new chat, the search, the list of conversations, and the foot. */

import * as actions from "./actions.js";
import { focusFirst, list, refresh, startList } from "./conversation-list.js";
import { el, icon, iconButton, isNarrow } from "./dom.js";
import { onText } from "./ime.js";
import { importCard, startImportCard } from "./import-card.js";
import { closeDrawer, togglePanel } from "./panels.js";
import { languageMenu } from "./language-menu.js";
import { open } from "./router.js";
import { searchFor, settled } from "./search.js";
import { keysButton } from "./shortcut-sheet.js";
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
  el("div", { class: "qc-side-foot" }, themeSwitch, languageMenu, keysButton, transferMenu),
  dropPlace,
);

export function startSidebar() {
  onText(field, () => searchFor(field.value, refresh));
  field.addEventListener("keydown", (event) => void onKey(event));
  startList();
  startTemporary();
  startImportCard();
  startTransfer(sidebar);
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
