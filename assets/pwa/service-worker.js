// The installed app's window when the server is away: a calm page that goes on by itself.
// Nothing else is ever answered from here, so no page is ever an old one.

const OFFLINE = "/assets/pwa/offline.html";
const SHELF = "qwenchat-offline";

self.addEventListener("install", (event) => {
  const keep = async () => (await caches.open(SHELF)).add(new Request(OFFLINE, { cache: "reload" }));
  event.waitUntil(keep().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  if (event.request.mode !== "navigate") return;
  event.respondWith(
    fetch(event.request).catch(async (error) => {
      const page = await (await caches.open(SHELF)).match(OFFLINE);
      if (page) return page;
      throw error;
    }),
  );
});
