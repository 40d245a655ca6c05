/** The window in which a persona or a preset is made or changed. */

import { api, reasonOf } from "../api.js";
import { ask } from "../ask.js";
import { el } from "../dom.js";
import * as settings from "../settings.js";
import { state } from "../store.js";
import { strings } from "../strings.js";
import { choosePersona, currentPersona, hasOwn } from "./choosing.js";
import { openDialog } from "./dialog.js";
import { settingsOf } from "./first.js";
import { PICTURES, pictureOf } from "./icons.js";
import { personaOf, textOf } from "./known.js";
import { samplingLine } from "./sampling-words.js";

const words = strings.editor;
const QUESTIONS = 4;

/**
 * @typedef {{name: string, icon: string, system_prompt: string, sampling: Record<string, any>,
 *   questions: string[]}} Draft
 * @typedef {{label: string, node: HTMLElement, read: () => any, hint?: string}} Field
 */

/**
 * Make a persona, or change one.
 *
 * @param {string | null} id  Null is a new one, which is chosen when it is there.
 * @param {Partial<Draft>} [from]  What the fields begin with.
 */
export function editPersona(id, from = {}) {
  const name = textField(from.name ?? "", 60);
  const sign = textField(from.icon ?? "", 16);
  const prompt = area(from.system_prompt ?? "", 5);
  const questions = Array.from({ length: QUESTIONS }, (_, at) => textField(from.questions?.[at] ?? "", 500));
  const sampling = samplingField(from.sampling ?? {});
  questions.forEach((one, at) => one.setAttribute("aria-label", words.question(at + 1)));
  edit({
    title: id === null ? words.newPersona : words.editPersona,
    first: name,
    fields: {
      name: { label: words.name, node: name, read: () => name.value },
      icon: { label: words.icon, node: signPicker(sign, name), read: () => sign.value, hint: words.iconHint },
      system_prompt: { label: strings.levels.systemPrompt, node: prompt, read: () => prompt.value },
      sampling: { label: words.sampling, node: sampling.root, read: sampling.read },
      questions: {
        label: words.questions,
        node: el("div", { class: "qc-form-lines" }, ...questions),
        read: () => questions.map((one) => one.value).filter((text) => text.trim()),
        hint: words.questionsHint,
      },
    },
    async save(value) {
      if (id !== null) return change(id, value);
      const kept = await api.keepOn("personas", value);
      // The frame that tells of it may come later than the answer.
      if (!personaOf(kept.id)) state.personas = [...state.personas, kept];
      void choosePersona(kept);
    },
  });
}

/** A chat that is not begun yet has the persona as it is now. @param {string} id @param {any} value */
async function change(id, value) {
  const old = personaOf(id);
  const follows = state.openId === null && old && old === currentPersona() && !hasOwn(old);
  const kept = await api.changeOn("personas", id, value);
  if (follows && state.openId === null) settings.replace(settingsOf(kept));
}

/** Make a preset, or change one. @param {string | null} id @param {Partial<Draft>} from */
export function editPreset(id, from) {
  const name = textField(from.name ?? "", 60);
  const sampling = samplingField(from.sampling ?? {});
  edit({
    title: id === null ? words.newPreset : words.editPreset,
    first: name,
    fields: {
      name: { label: words.name, node: name, read: () => name.value },
      sampling: { label: words.sampling, node: sampling.root, read: sampling.read },
    },
    save: (value) => (id === null ? api.keepOn("presets", value) : api.changeOn("presets", id, value)),
  });
}

/**
 * @param {{title: string, first: HTMLElement, fields: Record<string, Field>,
 *   save: (value: any) => Promise<any>}} what
 */
function edit({ title, first, fields, save }) {
  const notice = el("p", { class: "qc-notice", role: "alert", hidden: true });
  const read = () => Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.read()]));
  const before = JSON.stringify(read());
  const submit = el("button", { type: "submit", class: "qc-button qc-primary" }, words.save);
  const form = el(
    "form",
    { class: "qc-form", novalidate: true, onSubmit },
    ...Object.entries(fields).map(([name, field]) => rowOf(name, field)),
    notice,
    el("div", { class: "qc-ask-buttons" }, submit),
  );
  const dirty = () => JSON.stringify(read()) !== before;
  const { close } = openDialog(title, [form], {
    // What is being saved closes by itself, or says why not.
    mayClose: () =>
      !submit.disabled && (!dirty() || ask({ title: words.discardTitle, text: words.discardText, yes: words.discard, danger: true })),
  });
  first.focus();

  /** @param {Event} event */
  async function onSubmit(event) {
    event.preventDefault();
    if (submit.disabled) return;
    submit.disabled = true;
    try {
      await save(read());
      close();
    } catch (error) {
      const { param } = /** @type {any} */ (error);
      notice.textContent = reasonOf(error);
      notice.hidden = false;
      const wrong = form.querySelector(`[data-field="${CSS.escape(param ?? "")}"] :is(input, textarea, select)`);
      /** @type {HTMLElement | null} */ (wrong)?.focus();
    } finally {
      submit.disabled = false;
    }
  }
}

/** @param {string} name @param {Field} field */
function rowOf(name, { label, node, hint }) {
  const id = `editor-${name}`;
  const target = node.matches("input, textarea, select") ? node : node.querySelector("input, textarea, select");
  if (target) target.id = id;
  return el(
    "div",
    { class: "qc-form-row", "data-field": name },
    el("label", { for: id, text: label }),
    node,
    hint ? el("p", { class: "qc-hint", text: hint }) : null,
  );
}

/** @param {string} value @param {number} most  Characters. */
function textField(value, most) {
  const field = el("input", { type: "text", maxlength: String(most), dir: "auto", autocomplete: "off" });
  field.value = value;
  return field;
}

/** @param {string} value @param {number} lines */
function area(value, lines) {
  const field = el("textarea", { rows: String(lines), maxlength: "20000", dir: "auto" });
  field.value = value;
  return field;
}

/** An emoji or letters, or one of our own pictures. @param {HTMLInputElement} sign @param {HTMLInputElement} name */
function signPicker(sign, name) {
  const shown = el("span", { class: "qc-choice-picture" });
  const buttons = Object.keys(PICTURES).map((picture) =>
    el(
      "button",
      { type: "button", class: "qc-icon-button", "aria-label": words.picture(picture), "aria-pressed": "false",
        "data-picture": picture, onClick: () => set(picture) },
      pictureOf({ name: picture, icon: picture }),
    ),
  );
  const draw = () => {
    shown.replaceChildren(pictureOf({ name: name.value || "?", icon: sign.value.trim() }));
    for (const one of buttons) one.setAttribute("aria-pressed", String(one.dataset.picture === sign.value));
  };
  /** @param {string} picture */
  function set(picture) {
    sign.value = sign.value === picture ? "" : picture;
    draw();
  }
  sign.addEventListener("input", draw);
  name.addEventListener("input", draw);
  draw();
  return el("div", { class: "qc-form-sign" }, shown, sign, ...buttons);
}

/** The presets, what is set in this chat, or what there was. @param {Record<string, any>} sampling */
function samplingField(sampling) {
  const now = settings.draft().sampling;
  const isAny = Object.keys(sampling).length > 0;
  const choices = [
    { label: !isAny ? strings.presets.model : same(now, sampling) ? words.asNow : words.asSaved, sampling },
    ...(isAny ? [{ label: strings.presets.model, sampling: {} }] : []),
    ...(Object.keys(now).length && !same(now, sampling) ? [{ label: words.asNow, sampling: now }] : []),
    ...state.presets.map((preset) => ({ label: textOf(preset.name), sampling: preset.sampling })),
  ];
  const select = el("select", {}, ...choices.map(({ label }, at) => el("option", { value: String(at), text: label })));
  const line = el("p", { class: "qc-hint" });
  const chosen = () => choices[Number(select.value)].sampling;
  const draw = () => (line.textContent = samplingLine(chosen()));
  select.addEventListener("change", draw);
  draw();
  return { root: el("div", {}, select, line), read: chosen };
}

/** @param {any} one @param {any} other */
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
