/** Which persona the conversation has, and choosing another without losing what is the person's own. */

import { askWhich } from "../ask.js";
import * as settings from "../settings.js";
import { strings } from "../strings.js";
import { rememberPersona, settingsOf } from "./first.js";
import { allTexts, personaOf, textOf } from "./known.js";

const words = strings.personas;

/** @typedef {import("../types.js").Persona} Persona */

/** That of the open conversation or the new chat; none where it was deleted. */
export const currentPersona = () => personaOf(settings.draft().persona);

/** Give the conversation another persona's settings. @param {Persona} persona */
export async function choosePersona(persona) {
  const target = settingsOf(persona);
  if (hasOwn(persona)) {
    const own = ownSettings(target);
    const way = await askWhich({
      title: words.keepTitle(textOf(persona.name)),
      text: own.system_prompt ? words.keepPrompt : words.keepSampling,
      ways: { replace: words.replace, keep: words.keep },
    });
    if (!way) return;
    if (way === "keep") {
      target.system_prompt = own.system_prompt || target.system_prompt;
      Object.assign(target.sampling, own.sampling);
    }
  }
  rememberPersona(persona.id);
  settings.replace(target);
}

/** Whether the person set anything that is not this persona's. @param {Persona} persona */
export function hasOwn(persona) {
  const own = ownSettings(settingsOf(persona));
  return own.system_prompt !== "" || Object.keys(own.sampling).length > 0;
}

/**
 * What neither the current persona brought nor the next one brings too: the person set it.
 *
 * @param {{system_prompt: string, sampling: Record<string, any>}} target
 */
function ownSettings(target) {
  const now = settings.draft();
  const current = personaOf(now.persona);
  const known = [target.system_prompt, ...allTexts(current?.system_prompt ?? "")];
  const isOwn = now.system_prompt.trim() !== "" && !known.includes(now.system_prompt);
  const sampling = Object.entries(now.sampling).filter(
    ([name, value]) => !same(value, current?.sampling[name]) && !same(value, target.sampling[name]),
  );
  return { system_prompt: isOwn ? now.system_prompt : "", sampling: Object.fromEntries(sampling) };
}

/** @param {any} one @param {any} other */
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
