"use strict";
// Offline use: the browser caches all files of the folder at once, under their checksum, VERSION. All files
// that a page uses are therefore from one build.
const version = "VERSION", files = FILES;
addEventListener("install", (e) => e.waitUntil(caches.open(version).then((c) => c.addAll(files)).then(() => skipWaiting(), tell)));
// tell sends all pages the reason why the cache failed.
async function tell(e) {
  for (const page of await clients.matchAll({ includeUncontrolled: true })) page.postMessage(String(e));
  throw e;
}
addEventListener("activate", (e) => e.waitUntil((async () => {
  for (const key of await caches.keys()) if (key !== version) await caches.delete(key);
  await clients.claim();
})()));
// The page is cached only under the name of its folder. Servers may redirect index.html there, and a browser
// rejects a redirected response for a page. Files that are not cached, or unreadable, are fetched.
addEventListener("fetch", (e) => {
  if (e.request.method !== "GET") return;
  const name = e.request.url.replace(/\/index\.html(?=$|[?#])/, "/");
  const found = caches.open(version).then((c) => c.match(name, { ignoreSearch: true })).catch(() => {});
  e.respondWith(found.then((r) => r ?? fetch(e.request)));
});
