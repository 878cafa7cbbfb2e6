// Caches the files of the site, so that it works offline after the first visit. Pages come from the
// server while it can be reached; they request assets of their own version.

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(KEPT.name).then((cache) => cache.addAll(KEPT.files.map((each) => new Request(each, { cache: "reload" })))));
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
  const kept = () => caches.match(event.request);
  const answer = event.request.mode === "navigate"
    ? fetch(event.request).catch(kept)
    : kept().then((found) => found ?? fetch(event.request));
  event.respondWith(answer);
});
