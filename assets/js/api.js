/** The page's requests to the server, with errors as one class fit to show. */

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
 * @param {{keepalive?: boolean}} [options]
 * @returns {Promise<any>}
 */
async function request(method, path, body, { keepalive = false } = {}) {
  let response;
  try {
    response = await fetch(path, {
      method,
      keepalive,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new ApiError("network", strings.errors.network);
  }
  const answer = response.status === 204 ? {} : await response.json().catch(() => null);
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

export const api = {
  /** @param {import("./types.js").Settings} settings */
  createConversation: (settings) => request("POST", "/api/conversations", settings),
  /** @param {string} id @param {any} changes @param {{keepalive?: boolean}} [options] */
  changeConversation: (id, changes, options) => request("PATCH", path(id), changes, options),
  /** @param {string} id @param {string} content */
  sendMessage: (id, content) => request("POST", path(id, "/messages"), { content }),
  /** @param {string} id */
  stop: (id) => request("POST", path(id, "/stop"), {}),
  /** @param {string} id */
  regenerate: (id) => request("POST", path(id, "/regenerate"), {}),
  restartEngine: () => request("POST", "/api/engine/restart", {}),
};

/** Whether the server answers and only wants the login again. @returns {Promise<boolean>} */
export async function loginHasEnded() {
  try {
    return (await fetch("/api/conversations", { cache: "no-store" })).status === 401;
  } catch {
    return false;
  }
}
