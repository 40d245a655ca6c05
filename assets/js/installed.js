/**
 * What makes the page an application of its own: the service worker that shows a calm page
 * while the server is away. Where a browser has none (plain http on a network) it is the
 * browser's own page that says so.
 */

const WORKER = "/assets/pwa/service-worker.js";

export function startInstalled() {
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker
    .register(WORKER, { scope: "/", updateViaCache: "none" })
    .catch((error) => console.info("No page for when the server is away:", error.message));
}
