"use strict";
// The page without a network: a copy of the folder, taken at once and kept under the checksum of
// its files, VERSION, so that what is shown is of one build.
const version = "VERSION", files = FILES;
addEventListener("install", (e) => e.waitUntil(caches.open(version).then((c) => c.addAll(files)).then(() => skipWaiting(), tell)));
// tell says to all pages why they are not kept.
async function tell(e) {
  for (const page of await clients.matchAll({ includeUncontrolled: true })) page.postMessage(String(e));
  throw e;
}
addEventListener("activate", (e) => e.waitUntil((async () => {
  for (const key of await caches.keys()) if (key !== version) await caches.delete(key);
  await clients.claim();
})()));
// The page is kept under the name of its folder alone: servers may redirect its own name there,
// and what was redirected cannot answer who opens it. What is not kept, or cannot be read, is fetched.
addEventListener("fetch", (e) => {
  if (e.request.method !== "GET") return;
  const name = e.request.url.replace(/\/index\.html(?=$|[?#])/, "/");
  const found = caches.open(version).then((c) => c.match(name, { ignoreSearch: true })).catch(() => {});
  e.respondWith(found.then((r) => r ?? fetch(e.request)));
});
