/** The page's requests to the server, with errors as one class fit to show. */

import { fromServer } from "./server-words.js";
import { strings } from "./strings.js";

/** What went wrong with a request, in the server's words or in ours when it was not reached. */
export class ApiError extends Error {
  /** @param {string} code @param {string} message @param {string | null} param */
  constructor(code, message, param = null) {
    super(message);
    this.code = code;
    this.param = param;
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {any} [body]
 * @param {{keepalive?: boolean, signal?: AbortSignal}} [options]
 * @returns {Promise<any>}  Rejects with the signal's own error when that ends it.
 */
async function request(method, path, body, { keepalive = false, signal } = {}) {
  const isFile = body instanceof Blob;
  let response;
  try {
    response = await fetch(path, {
      method,
      keepalive,
      signal,
      headers: body === undefined || isFile ? {} : { "Content-Type": "application/json" },
      body: body === undefined || isFile ? body : JSON.stringify(body),
    });
  } catch {
    signal?.throwIfAborted();
    throw new ApiError("network", strings.errors.network);
  }
  const answer = response.status === 204 ? {} : fromServer(await response.json().catch(() => null));
  if (response.ok) return answer;
  const error = answer?.error;
  throw new ApiError(
    error?.code ?? `http_${response.status}`,
    error?.message ?? strings.errors.unexpected(response.status),
    error?.param ?? null,
  );
}

const path = (/** @type {string} */ id, rest = "") =>
  `/api/conversations/${encodeURIComponent(id)}${rest}`;

const messagePath = (/** @type {string} */ id, /** @type {string} */ messageId, rest = "") =>
  path(id, `/messages/${encodeURIComponent(messageId)}${rest}`);

/** @typedef {"personas" | "presets"} Shelf */

/** @param {string} id @param {string} [rest] @param {Record<string, any>} [query]  Null is left out. */
function filePath(id, rest = "", query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  const search = given.length ? `?${new URLSearchParams(given)}` : "";
  return `/api/files/${encodeURIComponent(id)}${rest}${search}`;
}

export const api = {
  /** @param {import("./types.js").Settings} settings */
  createConversation: (settings) => request("POST", "/api/conversations", settings),
  /** @param {string} id @param {any} changes @param {{keepalive?: boolean}} [options] */
  changeConversation: (id, changes, options) => request("PATCH", path(id), changes, options),
  /** @param {string} id */
  deleteConversation: (id) => request("DELETE", path(id)),
  /** @param {string} id */
  restoreConversation: (id) => request("POST", path(id, "/restore"), {}),
  /** @param {string} query @param {AbortSignal} signal */
  search: (query, signal) =>
    request("GET", `/api/search?q=${encodeURIComponent(query)}`, undefined, { signal }),
  /** @param {File} file @param {AbortSignal} signal */
  importFile: (file, signal) =>
    request("POST", `/api/import?name=${encodeURIComponent(file.name)}`, file, { signal }),
  /** Cancels it, or clears it away when it has ended. */
  endImport: () => request("DELETE", "/api/import"),
  /** @param {string} id */
  dismissNotice: (id) => request("DELETE", `/api/notices/${encodeURIComponent(id)}`),
  /** With all messages of its path. @param {string} id */
  getConversation: (id) => request("GET", path(id)),
  /** @param {string} id @param {string} messageId */
  forkConversation: (id, messageId) =>
    request("POST", path(id, "/fork"), { message_id: messageId }),
  /** @param {string} id */
  summarizeConversation: (id) => request("POST", path(id, "/summarize"), {}),
  /**
   * @param {string} id
   * @param {{content: string, parent_id?: string | null,
   *   overflow?: import("./types.js").Overflow,
   *   files?: import("./types.js").FileChoice[]}} message
   */
  sendMessage: (id, message) => request("POST", path(id, "/messages"), message),
  /** @param {string} id @param {string} messageId */
  continueMessage: (id, messageId) => request("POST", messagePath(id, messageId, "/continue"), {}),
  /** @param {string} id @param {string} messageId @param {string} content */
  editMessage: (id, messageId, content) =>
    request("PUT", messagePath(id, messageId), { content }),
  /** @param {string} id @param {string} messageId */
  showMessage: (id, messageId) => request("POST", messagePath(id, messageId, "/show"), {}),
  /** @param {string} id @param {string} messageId */
  deleteMessage: (id, messageId) => request("DELETE", messagePath(id, messageId)),
  /** @param {string} id @param {string} messageId */
  restoreMessage: (id, messageId) => request("POST", messagePath(id, messageId, "/restore"), {}),
  /**
   * @param {string} id @param {string | null} conversationId  Whose message may have it.
   * @returns {Promise<{file: import("./types.js").FileValue}>}
   */
  file: (id, conversationId) => request("GET", filePath(id, "", { conversation_id: conversationId })),
  /** All of its text. @param {string} id @param {string | null} conversationId @returns {Promise<{text: string}>} */
  fileText: (id, conversationId) =>
    request("GET", filePath(id, "/text", { conversation_id: conversationId })),
  /**
   * @param {import("./types.js").FileChoice} choice @param {string | null} conversationId
   * @returns {Promise<{tokens: number | null}>}
   */
  fileTokens: ({ id, from, to }, conversationId) =>
    request("GET", filePath(id, "/tokens", { conversation_id: conversationId, from, to })),
  /** @param {string} id @param {any} turn  As for `measure`. @returns {Promise<{to: number | null}>} */
  fitFile: (id, turn) => request("POST", filePath(id, "/fit"), turn),
  /** @param {string} id */
  deleteFile: (id) => request("DELETE", filePath(id)),
  /** @param {any} turn  See docs/page-protocol.md. @param {AbortSignal} [signal] */
  measure: (turn, signal) => request("POST", "/api/measure", turn, { signal }),
  /** @param {string} id */
  stop: (id) => request("POST", path(id, "/stop"), {}),
  /**
   * @param {string} id
   * @param {{message_id?: string, overflow?: import("./types.js").Overflow}} which
   */
  regenerate: (id, which) => request("POST", path(id, "/regenerate"), which),
  restartEngine: () => request("POST", "/api/engine/restart", {}),
  /** @returns {Promise<import("./types.js").Library>} */
  models: () => request("GET", "/api/models"),
  /** @param {string} model @param {AbortSignal} signal @returns {Promise<import("./types.js").Checked>} */
  checkModel: (model, signal) => request("POST", "/api/models/check", { model }, { signal }),
  /** @param {{model: string, context_length?: number, dtype?: import("./types.js").Dtype}} choice */
  switchModel: (choice) => request("PUT", "/api/model", choice),
  /** @param {string} model @returns {Promise<{freed_bytes: number}>} */
  deleteModel: (model) => request("POST", "/api/models/delete", { model }),
  /** @param {string} model */
  verifyModel: (model) => request("POST", "/api/models/verify", { model }),
  /** Cancels it, or clears it away when it has ended. */
  endVerification: () => request("POST", "/api/models/verify/cancel", {}),
  /** @param {string} model */
  revealModel: (model) => request("POST", "/api/models/reveal", { model }),
  /** @param {string} model @param {boolean} [check]  Fetch what differs of one that is here. */
  download: (model, check = false) => request("POST", "/api/downloads", { model, check }),
  /** @param {"pause"|"resume"|"cancel"} what @param {string} model */
  changeDownload: (what, model) => request("POST", `/api/downloads/${what}`, { model }),
  /** @param {Shelf} shelf @param {any} value */
  keepOn: (shelf, value) => request("POST", `/api/${shelf}`, value),
  /** @param {Shelf} shelf @param {string} id @param {any} value */
  changeOn: (shelf, id, value) => request("PUT", `/api/${shelf}/${encodeURIComponent(id)}`, value),
  /** @param {Shelf} shelf @param {string} id */
  deleteOn: (shelf, id) => request("DELETE", `/api/${shelf}/${encodeURIComponent(id)}`),
  /** @param {Shelf} shelf @param {string} id */
  restoreOn: (shelf, id) => request("POST", `/api/${shelf}/${encodeURIComponent(id)}/restore`, {}),
  /** @param {Shelf} shelf @param {File} file */
  importOn: (shelf, file) => request("POST", `/api/${shelf}/import`, file),
  /** @returns {Promise<import("./types.js").DoctorReport>} */
  doctor: () => request("GET", "/api/doctor"),
};

/** Where a file with these conversations is, with all of them when no id is given. */
export const exportAddress = (/** @type {"json"|"markdown"} */ format, /** @type {string[]} */ ...ids) =>
  `/api/export?${new URLSearchParams([["format", format], ...ids.map((id) => ["id", id])])}`;

/** Where a file with these of the person's own is, with all of them when no id is given. */
export const shelfAddress = (/** @type {Shelf} */ shelf, /** @type {string[]} */ ...ids) =>
  `/api/${shelf}/export?${new URLSearchParams(ids.map((id) => ["id", id]))}`;

/** Why a request that carried no text of the person did not work. @param {any} error */
export const reasonOf = (error) =>
  error.code === "network" ? strings.errors.notReached : error.message;

/** Whether the server answers and only wants the login again. @returns {Promise<boolean>} */
export async function loginHasEnded() {
  try {
    return (await fetch("/api/conversations", { cache: "no-store" })).status === 401;
  } catch {
    return false;
  }
}
