/** Sending a file to the server, which reads it: with progress, and to be cancelled. */

import { ApiError } from "../api.js";
import { strings } from "../strings.js";

/** As api/files.py has it. */
export const MOST_MEBIBYTES = 50;

/**
 * @param {File} file
 * @param {{temporary: boolean, signal: AbortSignal,
 *   onProgress: (share: number) => void}} options  1 once all is sent and it is being read.
 * @returns {Promise<import("../types.js").FileValue>}
 */
export function upload(file, { temporary, signal, onProgress }) {
  // Not fetch, which does not tell how much is sent.
  const request = new XMLHttpRequest();
  const query = new URLSearchParams({ name: file.name, ...(temporary ? { temporary: "1" } : {}) });
  return new Promise((resolve, reject) => {
    request.open("POST", `/api/files?${query}`);
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) =>
      onProgress(event.total ? event.loaded / event.total : 1),
    );
    request.upload.addEventListener("load", () => onProgress(1));
    request.addEventListener("load", () => {
      if (request.status === 201) return resolve(request.response.file);
      const error = request.response?.error;
      reject(
        new ApiError(
          error?.code ?? `http_${request.status}`,
          error?.message ?? strings.errors.unexpected(request.status),
        ),
      );
    });
    request.addEventListener("error", () => reject(new ApiError("network", strings.errors.network)));
    request.addEventListener("abort", () => reject(signal.reason));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

/** Why a file cannot be sent at all, before it is; "" where it can. @param {File} file */
export function refusal(file) {
  const words = strings.files;
  if (file.type.startsWith("image/") && file.type !== "image/svg+xml") return words.picture(file.name);
  if (file.size > MOST_MEBIBYTES * 2 ** 20) return words.tooLarge(file.name, MOST_MEBIBYTES);
  return "";
}
