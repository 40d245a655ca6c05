/**
 * The settings of the open conversation, between the server and Gradio's components.
 *
 * Three layers make a value: the model's defaults, what the server has saved, and edits
 * not yet saved. What a person does in a field comes in as `changed`; whenever what the
 * fields show differs from the layers, the bridge has Gradio fetch `settingValues`, except
 * for the field somebody is typing in.
 */

import { api } from "./api.js";
import { levelsOf, ofLevel } from "./personas/levels.js";
import { firstSettings, rememberReplyLanguage } from "./personas/first.js";
import { lockFields, showNotice } from "./settings-view.js";
import { draftOwner, emit, on, state } from "./store.js";
import { recall, remember, shelfOf } from "./storage.js";
import { strings } from "./strings.js";
import { modelDefaults } from "./thinking-mode.js";

const SAVE_MS = 400;
const REVERT_MS = 1500;
const DRAFT_KEY = "draft-settings";
const UNCHANGED = { __type__: "update" };
/** Settings that are one value each; `sampling` is one for each of its names. */
const PLAIN = /** @type {const} */ (["system_prompt", "persona", "reply_language", "thinking", "thinking_budget"]);

/** @typedef {import("./types.js").Settings} Settings */

/** Where the draft's settings are kept. */
const shelf = () => shelfOf(draftOwner(), sessionStorage);

/** @returns {Settings} */
const nothing = () => ({ system_prompt: "", persona: "", reply_language: "auto", thinking: "auto",
  thinking_budget: null, sampling: {} });

/** From Python: order of the components, bounds, and vLLM's defaults. @type {any} */
let config = null;
/** Asks Gradio to fetch `settingValues`. @type {() => void} */
let apply = () => {};
/** What the server has; null until it said so. @type {Settings | null} */
let saved = nothing();
/**
 * What was changed here and is not saved yet, key by key; undefined takes a value away.
 *
 * @typedef {Partial<Settings>} Edits
 */

/** @type {Edits} */
let edits = {};
/** Whether `saved` is what the server has now, as far as this connection tells. */
let fresh = false;
/** Whose settings these are; null is the conversation not yet begun. @type {string | null} */
let owner = null;
/** Settings that move from the draft into the conversation just made. @type {Settings | null} */
let carried = null;
/** The field somebody works in. @type {string | null} */
let active = null;
/** What each component shows. @type {Record<string, any>} */
const shown = {};
/** @type {ReturnType<typeof setTimeout> | undefined} */
let saveTimer;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let revertTimer;
/** @type {Promise<void>} */
let saving = Promise.resolve();

/** @param {() => void} trigger @param {any} fromPython */
export function connect(trigger, fromPython) {
  apply = trigger;
  config = fromPython;
  // Not what Python put there: Gradio shows an empty number as 0 until it is told again.
  for (const name of config.order) shown[name] = "not known";
  show();
}

/** Begin with the conversation in the address bar. */
export function start() {
  takeOver();
  on("open", takeOver);
  on("engine", () => show());
  on("personas", () => {
    if (owner !== null || Object.keys(edits).length || storedDraft()) return;
    saved = beginning();
    show();
    emit("settings");
  });
  on("conversation", () => state.conversation?.id === owner && accept(state.conversation));
  on("connection", () => {
    if (state.connection === "open") save();
    else fresh = false; // another page may change them meanwhile
  });
  addEventListener("pagehide", () => save({ keepalive: true }));
}

/** The settings a new conversation starts with. @returns {Settings} */
export const draft = () => current();

/** The draft became a conversation, which the page opens next. */
export function draftWasUsed() {
  carried = current();
  remember(DRAFT_KEY, null, shelf());
}

/** Resolves when everything changed so far has reached the server. */
export const flush = () => save();

/** Back to the model's own sampling; the system prompt is the person's text and stays. */
export function reset() {
  clearNotices();
  active = null;
  const names = Object.keys(current().sampling);
  edit({ sampling: Object.fromEntries(names.map((name) => [name, undefined])) });
}

/**
 * Other settings in place of these, as those of a persona or a preset.
 *
 * @param {Partial<Settings>} settings  Its `sampling` replaces what is there as a whole.
 */
export function replace({ sampling, ...plain }) {
  clearNotices();
  active = null;
  const gone = Object.fromEntries(Object.keys(current().sampling).map((name) => [name, undefined]));
  edit(sampling ? { ...plain, sampling: { ...gone, ...sampling } } : plain);
}

/** What the model is asked with: its defaults, and over them what is set here. */
export const effective = () => ({ ...defaults(), ...current().sampling });

/** What it is asked with where nothing is set. */
export const defaultsNow = () => defaults();

/** A person changed a field. @param {string} name @param {any} value */
export function changed(name, value) {
  shown[name] = value;
  active = name;
  clearTimeout(revertTimer);
  const problem = problemOf(name, value);
  showNotice(name, problem);
  if (name === "reply_language") rememberReplyLanguage(value);
  if (problem) revertTimer = setTimeout(fieldLeft, REVERT_MS);
  else edit(changeOf(name, value));
}

/** The end of typing: what cannot stay in the field goes back. */
export function fieldLeft() {
  clearTimeout(revertTimer);
  active = null;
  show();
}

/** The values for the components, in their order; what is right already is left alone. */
function settingValues() {
  const wanted = values();
  return config.order.map((/** @type {string} */ name) => {
    if (!differs(name, wanted)) return UNCHANGED;
    shown[name] = wanted[name];
    return wanted[name];
  });
}

const defaults = () => ({ ...config?.defaults, ...modelDefaults(current().thinking) });

const current = () => merged(saved ?? nothing(), edits);

/** @param {Settings} settings @param {Edits} changes @returns {Settings} */
function merged(settings, changes) {
  const sampling = Object.entries({ ...settings.sampling, ...changes.sampling });
  const plain = PLAIN.map((name) => [name, changes[name] === undefined ? settings[name] : changes[name]]);
  return {
    ...Object.fromEntries(plain),
    sampling: Object.fromEntries(sampling.filter(([, value]) => value !== undefined)),
  };
}

/** @param {any} value  As a component shows it. */
const display = (value) => (Array.isArray(value) ? value.join("\n") : value);

function values() {
  const { sampling, ...plain } = current();
  const numbers = { ...defaults(), ...sampling };
  const all = { ...numbers, ...plain, ...levelsOf(numbers) };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, display(value)]));
}

/** @param {any} one @param {any} other  Empty is empty, whichever way a component says it. */
const same = (one, other) => String(one ?? "") === String(other ?? "");

/** @param {string} name @param {Record<string, any>} wanted */
const differs = (name, wanted) => name !== active && !same(shown[name], wanted[name]);

/** Bring the components in line with the settings. */
function show() {
  lockFields(saved === null);
  if (!config || saved === null) return;
  const wanted = values();
  if (config.order.some((/** @type {string} */ name) => differs(name, wanted))) apply();
}

/** @param {string} name @param {any} value @returns {string} why it cannot be used, or "" */
function problemOf(name, value) {
  const bounds = config?.numbers[name];
  if (!bounds || same(value, "")) return "";
  const number = Number(value);
  const low = bounds.exclusive ? number <= bounds.minimum : number < bounds.minimum;
  const broken = !Number.isFinite(number) || (bounds.integer && !Number.isInteger(number));
  if (!broken && !low && number <= bounds.maximum) return "";
  return bounds.refusal.replace("{value}", String(value));
}

/** @param {string} name @param {any} value @returns {Edits} */
function changeOf(name, value) {
  if (PLAIN.some((plain) => plain === name)) return { [name]: value ?? "" };
  const level = ofLevel(name, value);
  if (level) return changeOf(level.name, level.value);
  /** @type {any} */
  let wanted;
  if (name === "stop") wanted = (value ?? "").split("\n").filter(Boolean);
  else wanted = same(value, "") ? null : Number(value);
  const unset = wanted === null && !config.numbers[name].optional;
  if (unset || same(display(wanted), display(defaults()[name]))) wanted = undefined;
  return { sampling: { [name]: wanted } };
}

/** @param {Edits} changes */
function edit(changes) {
  const sampling = { ...edits.sampling, ...changes.sampling };
  edits = { ...edits, ...changes };
  if (Object.keys(sampling).length) edits.sampling = sampling;
  show();
  emit("settings");
  clearTimeout(saveTimer);
  if (owner === null) remember(DRAFT_KEY, JSON.stringify(current()), shelf());
  else saveTimer = setTimeout(save, SAVE_MS);
}

/** Send the edits, one request after the other. @param {{keepalive?: boolean}} [options] */
function save(options) {
  clearTimeout(saveTimer);
  const conversation = owner;
  const sent = edits;
  const before = saved;
  const wasFresh = fresh;
  if (conversation === null || before === null || !Object.keys(sent).length) return saving;
  saving = saving
    .then(() => request(conversation, sent, before, wasFresh, options))
    .then((answer) => {
      if (owner !== conversation || !answer) return;
      showNotice(null, "");
      edits = without(edits, sent);
      accept(answer);
    })
    .catch((error) => owner === conversation && refused(error, sent));
  return saving;
}

/**
 * The server takes sampling as a whole: what others changed meanwhile must stay in it.
 *
 * @param {string} conversation @param {Edits} sent @param {Settings} before
 * @param {boolean} wasFresh
 * @param {{keepalive?: boolean}} [options]
 * @returns {Promise<Settings | null>}
 */
async function request(conversation, sent, before, wasFresh, options) {
  const isOpen = owner === conversation && saved !== null;
  let base = isOpen ? /** @type {Settings} */ (saved) : before;
  /** @type {Partial<Settings>} */
  const body = {};
  for (const name of PLAIN) if (sent[name] !== undefined) Object.assign(body, { [name]: sent[name] });
  if (sent.sampling) {
    const known = isOpen ? fresh : wasFresh;
    if (!known && !options?.keepalive) base = await api.changeConversation(conversation, {});
    if (known || !options?.keepalive) body.sampling = merged(base, sent).sampling;
  }
  return Object.keys(body).length ? api.changeConversation(conversation, body, options) : null;
}

/** @param {Edits} all @param {Edits} done @returns {Edits} what was changed again since */
function without(all, done) {
  /** @type {Edits} */
  const rest = {};
  for (const name of PLAIN) if (all[name] !== done[name]) Object.assign(rest, { [name]: all[name] });
  const sampling = Object.entries(all.sampling ?? {}).filter(
    ([name, value]) => !(name in (done.sampling ?? {})) || done.sampling?.[name] !== value,
  );
  if (sampling.length) rest.sampling = Object.fromEntries(sampling);
  return rest;
}

/** @param {any} error @param {Edits} sent */
function refused(error, sent) {
  if (error.code === "network") return showNotice(null, strings.settings.notSaved);
  const name = error.param in shown ? error.param : null;
  showNotice(name, error.message);
  if (edits !== sent) return;
  active = null;
  const { [name]: _, ...sampling } = sent.sampling ?? {};
  edits = {};
  if (name !== null && Object.keys(sampling).length) edits.sampling = sampling;
  for (const plain of name === null ? [] : PLAIN) {
    if (plain !== name && sent[plain] !== undefined) Object.assign(edits, { [plain]: sent[plain] });
  }
  if (Object.keys(edits).length) saveTimer = setTimeout(save, SAVE_MS);
  show();
}

/** @param {Settings} settings */
function accept(settings) {
  saved = merged(settings, {});
  fresh = true;
  show();
}

/** Another conversation is open: send what is left of the last, start with the new one. */
function takeOver() {
  save();
  clearNotices();
  owner = state.openId;
  active = null;
  edits = {};
  saved = owner === null ? storedDraft() ?? beginning() : carried;
  fresh = carried !== null;
  carried = null;
  show();
}

/** What a new chat begins with, once it is known what that is. @returns {Settings} */
const beginning = () => ({ ...nothing(), ...firstSettings() });

/** @returns {Settings | null} */
function storedDraft() {
  try {
    const stored = JSON.parse(recall(DRAFT_KEY, shelf()) ?? "null");
    return stored && { ...nothing(), ...stored };
  } catch {
    return null;
  }
}

function clearNotices() {
  clearTimeout(revertTimer);
  for (const name of [null, ...(config?.order ?? [])]) showNotice(name, "");
}

/** What Gradio's bridge calls. */
/** @type {any} */ (window).qwenchat = { settingValues };
