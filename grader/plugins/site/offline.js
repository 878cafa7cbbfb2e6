// Keeps the files of the site, so that it works without a network after the first visit.

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(KEPT.name).then((cache) => cache.addAll(KEPT.files)));
});
self.addEventListener("activate", (event) => {
  const drop = async () => {
    const names = await caches.keys();
    const old = names.filter((each) => each.startsWith(KEPT.prefix) && each !== KEPT.name);
    await Promise.all(old.map((each) => caches.delete(each)));
    await self.clients.claim();
  };
  event.waitUntil(drop());
});
self.addEventListener("fetch", (event) => {
  const kept = caches.match(event.request, { ignoreSearch: true });
  event.respondWith(kept.then((found) => found ?? fetch(event.request)));
});
