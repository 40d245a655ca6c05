/**
 * The settings of the open conversation, between the server and Gradio's components.
 *
 * Three layers make a value: the model's defaults, what the server has saved, and edits
 * not yet saved. What a person does in a field comes in as `changed`; whenever what the
 * fields show differs from the layers, the bridge has Gradio fetch `settingValues`, except
 * for the field somebody is typing in.
 */

import { api } from "./api.js";
import { lockFields, showNotice } from "./settings-view.js";
import { on, state } from "./store.js";
import { recall, remember } from "./storage.js";
import { strings } from "./strings.js";

const SAVE_MS = 400;
const REVERT_MS = 1500;
const DRAFT_KEY = "draft-settings";
const UNCHANGED = { __type__: "update" };

/** @typedef {import("./types.js").Settings} Settings */

/** @returns {Settings} */
const nothing = () => ({ system_prompt: "", sampling: {} });

/** From Python: order of the components, bounds, and vLLM's defaults. @type {any} */
let config = null;
/** Asks Gradio to fetch `settingValues`. @type {() => void} */
let apply = () => {};
/** What the server has; null until it said so. @type {Settings | null} */
let saved = nothing();
/** The same with edits on their way to it. @type {Settings | null} */
let edited = null;
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
  on("conversation", () => !edited && state.conversation && accept(state.conversation));
  on("connection", () => state.connection === "open" && save());
  addEventListener("pagehide", () => save({ keepalive: true }));
}

/** The settings a new conversation starts with. @returns {Settings} */
export const draft = () => current();

/** The draft became a conversation, which the page opens next. */
export function draftWasUsed() {
  carried = current();
  remember(DRAFT_KEY, null, sessionStorage);
}

/** Resolves when everything changed so far has reached the server. */
export const flush = () => save();

/** Back to the model's own sampling; the system prompt is the person's text and stays. */
export function reset() {
  clearNotices();
  active = null;
  edit({ ...current(), sampling: {} });
}

/** A person changed a field. @param {string} name @param {any} value */
export function changed(name, value) {
  shown[name] = value;
  active = name;
  clearTimeout(revertTimer);
  const problem = problemOf(name, value);
  showNotice(name, problem);
  if (problem) revertTimer = setTimeout(fieldLeft, REVERT_MS);
  else edit(withValue(current(), name, value));
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

const defaults = () => ({ ...config?.defaults, ...state.engine?.defaults });

const current = () => edited ?? saved ?? nothing();

/** @param {any} value  As a component shows it. */
const display = (value) => (Array.isArray(value) ? value.join("\n") : value);

function values() {
  const { system_prompt, sampling } = current();
  const all = { ...defaults(), ...sampling, system_prompt };
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

/** @param {Settings} settings @param {string} name @param {any} value @returns {Settings} */
function withValue(settings, name, value) {
  if (name === "system_prompt") return { ...settings, system_prompt: value ?? "" };
  const sampling = { ...settings.sampling };
  if (name === "stop") sampling.stop = (value ?? "").split("\n").filter(Boolean);
  else sampling[name] = same(value, "") ? null : Number(value);
  const unset = sampling[name] === null && !config.numbers[name].optional;
  if (unset || same(display(sampling[name]), display(defaults()[name]))) delete sampling[name];
  return { ...settings, sampling };
}

/** @param {Settings} settings */
function edit(settings) {
  edited = settings;
  show();
  clearTimeout(saveTimer);
  if (owner === null) remember(DRAFT_KEY, JSON.stringify(settings), sessionStorage);
  else saveTimer = setTimeout(save, SAVE_MS);
}

/** Send the edits, one request after the other. @param {{keepalive?: boolean}} [options] */
function save(options) {
  clearTimeout(saveTimer);
  const conversation = owner;
  const sent = edited;
  const before = saved;
  if (conversation === null || sent === null || before === null) return saving;
  saving = saving
    .then(() => api.changeConversation(conversation, changes(before, sent), options))
    .then((answer) => {
      if (owner !== conversation) return;
      showNotice(null, "");
      if (edited === sent) edited = null;
      accept(answer);
    })
    .catch((error) => owner === conversation && refused(error, sent, before));
  return saving;
}

/** @param {Settings} before @param {Settings} after  Only what differs: a tab may be behind. */
function changes(before, after) {
  /** @type {Partial<Settings>} */
  const result = {};
  if (before.system_prompt !== after.system_prompt) result.system_prompt = after.system_prompt;
  if (JSON.stringify(before.sampling) !== JSON.stringify(after.sampling)) {
    result.sampling = after.sampling;
  }
  return result;
}

/** @param {any} error @param {Settings} sent @param {Settings} before */
function refused(error, sent, before) {
  if (error.code === "network") return showNotice(null, strings.settings.notSaved);
  const name = error.param in shown ? error.param : null;
  showNotice(name, error.message);
  if (edited !== sent) return;
  active = null;
  const sampling = { ...sent.sampling };
  if (name !== null) delete sampling[name];
  if (name !== null && name in before.sampling) sampling[name] = before.sampling[name];
  const rest = name === null ? before : { ...sent, sampling };
  edited = Object.keys(changes(before, rest)).length ? rest : null;
  if (edited) saveTimer = setTimeout(save, SAVE_MS);
  show();
}

/** @param {Settings} settings */
function accept({ system_prompt, sampling }) {
  saved = { system_prompt, sampling };
  show();
}

/** Another conversation is open: send what is left of the last, start with the new one. */
function takeOver() {
  save();
  clearNotices();
  owner = state.openId;
  edited = active = null;
  saved = owner === null ? storedDraft() : carried;
  carried = null;
  show();
}

/** @returns {Settings} */
function storedDraft() {
  try {
    return JSON.parse(recall(DRAFT_KEY, sessionStorage) ?? "null") ?? nothing();
  } catch {
    return nothing();
  }
}

function clearNotices() {
  clearTimeout(revertTimer);
  for (const name of [null, ...(config?.order ?? [])]) showNotice(name, "");
}

/** What Gradio's bridge calls. */
/** @type {any} */ (window).qwenchat = { settingValues };
