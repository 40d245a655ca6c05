/** The choice of the page's language, in the foot of the side bar. */

import { el } from "./dom.js";
import { language, languages, rememberLanguage } from "./language.js";
import { toggleMenu } from "./menu.js";
import { revisit } from "./revisit.js";
import { strings } from "./strings.js";
import { toast } from "./toast.js";

const words = strings.language;
const ID = "language-menu";

const tags = /** @type {import("./language.js").Language[]} */ (Object.keys(languages));

/** Its sign is the same in every language, so that it is found in one that is not understood. */
export const languageMenu = el(
  "button",
  {
    type: "button",
    id: ID,
    class: "qc-language",
    // What can be seen is part of the name, for those who say it.
    "aria-label": `中/EN ${words.label}: ${languages[language]}`,
    title: words.label,
    "aria-haspopup": "menu",
    "aria-expanded": "false",
    onClick: openMenu,
  },
  el("span", { lang: "zh", text: "中" }),
  "/EN",
);

function openMenu() {
  toggleMenu(
    languageMenu,
    words.label,
    tags.map((tag) => ({
      label: languages[tag],
      icon: null,
      checked: tag === language,
      run: () => change(tag),
    })),
  );
}

/** @param {import("./language.js").Language} wanted */
function change(wanted) {
  if (wanted === language) return;
  if (rememberLanguage(wanted)) revisit(ID);
  else toast({ text: words.notKept });
}
