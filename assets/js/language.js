/**
 * The language of the page: chosen by the person, else the browser's, else English. The first
 * module that runs, so that what is drawn later (Gradio's own words too) is in this language.
 */

/** What a person can choose from, each named in itself. Another one is a folder in ``strings/``. */
export const languages = { en: "English", zh: "中文" };

/** @typedef {keyof typeof languages} Language */

const KEY = "qwenchat.language";

/** @param {string} tag  As ``zh-CN``. @returns {tag is Language} */
const known = (tag) => tag in languages;

/** Not by storage.js, which needs what is drawn by the words of this language. */
function remembered() {
  try {
    return localStorage.getItem(KEY);
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

/**
 * Keep another language for the next visit, which is to follow.
 *
 * @param {Language} wanted
 * @returns {boolean} false where this browser keeps nothing
 */
export function rememberLanguage(wanted) {
  try {
    localStorage.setItem(KEY, wanted);
    return true;
  } catch {
    return false;
  }
}

/** The document says its language, whatever Gradio writes there. */
function keepNamed() {
  const root = document.documentElement;
  const name = () => root.lang !== language && (root.lang = language);
  new MutationObserver(name).observe(root, { attributes: true, attributeFilter: ["lang"] });
  name();
}

/** Gradio asks the browser which language to speak; its names of them have a country. */
function tellGradio() {
  const { region } = new Intl.Locale(language).maximize();
  Object.defineProperty(navigator, "language", { value: `${language}-${region}`, configurable: true });
}

keepNamed();
tellGradio();
