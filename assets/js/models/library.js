/** All models as the server knows them, asked for again whenever it says there is news. */

import { api, reasonOf } from "../api.js";
import { emit, state } from "../store.js";

/** Of the server, as it was last heard of and as it was when `state.library` was asked for. */
let heard = 0;
let read = -1;
let asking = false;

/** From the socket. @param {number} revision @param {import("../types.js").Choice} choice */
export function heardOfModels(revision, choice) {
  heard = revision;
  state.choice = choice;
  emit("choice");
  void readLibrary();
}

/** After a lost connection it may be another server, which counts from the start. */
export function newConnection() {
  read = -1;
}

/** Read them unless they are known. A page nobody looks at waits until somebody does. */
export async function readLibrary() {
  if (asking || read === heard || document.hidden) return;
  asking = true;
  const revision = heard;
  try {
    state.library = await api.models();
    state.libraryProblem = "";
    read = revision;
  } catch (error) {
    state.libraryProblem = reasonOf(error);
  }
  asking = false;
  emit("library");
  if (!state.libraryProblem) void readLibrary(); // there may be news already
}

document.addEventListener("visibilitychange", () => void readLibrary());

/** @param {string} id @returns {import("../types.js").Installed | undefined} */
export const installedOf = (id) => state.library?.installed.find((one) => one.id === id);

/**
 * A variant of the catalogue, with its row.
 *
 * @param {string | null} id
 */
export function variantOf(id) {
  for (const row of state.library?.rows ?? []) {
    const variant = row.variants.find((one) => one.id === id);
    if (variant) return { row, variant };
  }
  return null;
}

/** How a model is called to a person: without the name of who publishes it. @param {string} id */
export const nameOf = (id) => id.replace(/\/+$/, "").split("/").at(-1) || id;
