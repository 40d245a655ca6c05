/** The language of the page: chosen by the person, else the browser's, else English. */

/** What a person can choose from, each named in itself. Another one is a folder in ``strings/``. */
export const languages = { en: "English", zh: "中文" };

/** @typedef {keyof typeof languages} Language */

/** @param {string} tag  As ``zh-CN``. @returns {tag is Language} */
const known = (tag) => tag in languages;

/** Not by storage.js, which needs what is drawn by the words of this language. */
function remembered() {
  try {
    return localStorage.getItem("qwenchat.language");
  } catch {
    return null;
  }
}

/** @returns {Language} */
function choose() {
  const wanted = [remembered(), ...navigator.languages.map((tag) => tag.split("-")[0])];
  return wanted.find((tag) => tag !== null && known(tag)) ?? "en";
}

export const language = choose();

/** For dates and numbers: the browser's own variety of the language, where it is that. */
export const locale = navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;
