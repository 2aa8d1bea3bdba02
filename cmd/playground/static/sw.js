"use strict";
// The page without a network: a copy of the folder, taken at once and kept under the checksum of
// its files, VERSION, so that what is shown is of one build.
const version = "VERSION", files = FILES;
addEventListener("install", (e) => e.waitUntil(caches.open(version).then((c) => c.addAll(files)).then(() => skipWaiting())));
addEventListener("activate", (e) => e.waitUntil((async () => {
  for (const key of await caches.keys()) if (key !== version) await caches.delete(key);
  await clients.claim();
})()));
addEventListener("fetch", (e) => {
  if (e.request.method !== "GET") return;
  e.respondWith(caches.open(version).then((c) => c.match(e.request, { ignoreSearch: true })).then((r) => r ?? fetch(e.request)));
});
