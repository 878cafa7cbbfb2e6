// Caches the files of the site, so that it works offline after the first visit. Pages come from the
// server if it can be reached, and request assets of their own version.

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(KEPT.name).then((cache) => cache.addAll(KEPT.files.map((name) => new Request(name, { cache: "reload" })))));
});
self.addEventListener("activate", (event) => {
  const deleteOldCaches = async () => {
    const names = await caches.keys();
    const old = names.filter((name) => name.startsWith(KEPT.prefix) && name !== KEPT.name);
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(deleteOldCaches());
});
self.addEventListener("fetch", (event) => {
  const fromCache = () => caches.match(event.request);
  const answer = event.request.mode === "navigate"
    ? fetch(event.request).catch(fromCache)
    : fromCache().then((response) => response ?? fetch(event.request));
  event.respondWith(answer);
});
