/** The picture of a persona: one of our line icons, an emoji, or the first letter of its name. */

import { el, icon } from "../dom.js";
import { textOf } from "./known.js";

/** By the names that assets/personas.json uses; a person's own persona may use them too. */
export const PICTURES = {
  spark: "M12 4l1.9 5.6L19.5 12l-5.6 2.4L12 20l-1.9-5.6L4.5 12l5.6-2.4L12 4z",
  compass: "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM15.5 8.5l-2 5-5 2 2-5 5-2z",
  headset: "M4.5 14v-2a7.5 7.5 0 0 1 15 0v2M4.5 13.5h3v5h-3zM16.5 13.5h3v5h-3zM19 18.5c0 1.5-2 2-5 2",
  book: "M12 6.5C10 5 7.5 4.5 4 4.5v13c3.5 0 6 .5 8 2 2-1.500 4.500-2 8-2v-13c-3.500 0-6 .5-8 2zM12 6.500v13",
  translate: "M4 6h9M8.500 4v2c0 4-2 6.500-4.500 8M6 9.500c1 2.500 3 4 5.500 4.500M11.500 20l4-10 4 10M13 17h5",
  code: "M8.500 8L4 12l4.500 4M15.500 8L20 12l-4.500 4M13.500 6l-3 12",
  feather: "M19.500 4.500c-6 0-11 3-12 9.500L6 19M7.500 14c5 .5 9-1.500 10.500-5M6 19l5-7",
};

/** @param {Pick<import("../types.js").Persona, "name" | "icon">} persona */
export function pictureOf({ name, icon: sign }) {
  const path = /** @type {Record<string, string>} */ (PICTURES)[sign];
  if (path && Object.hasOwn(PICTURES, sign)) {
    const picture = icon("check");
    picture.firstElementChild?.setAttribute("d", path);
    return picture;
  }
  const letter = [...textOf(name)][0] ?? "";
  const text = sign || letter.toUpperCase();
  return el("span", { class: `qc-sign${sign ? "" : " qc-initial"}`, "aria-hidden": "true", text });
}
