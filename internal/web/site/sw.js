// The service worker: it keeps every file of its version before it answers with any of them.

import { afterFirst, keepOnly, kept, whole } from "./whole.js";

/** @typedef {{waitUntil: (done: Promise<unknown>) => void}} Lasting */
/** @typedef {{request: Request, respondWith: (answer: Promise<Response>) => void}} Asking */

const worker = /** @type {any} */ (self);
const files = /** @type {{[path: string]: SiteFile}} */ (worker.files), all = Object.values(files);

async function fill() {
  for (const file of all) {
    await afterFirst();
    await whole(file);
  }
  if (!(await Promise.all(all.map(kept))).every(Boolean)) throw new Error(); // the browser keeps no more
}

const begin = () => Promise.all([keepOnly(all), worker.clients.claim()]);

worker.addEventListener("install", (/** @type {Lasting} */ e) => e.waitUntil(fill()));

worker.addEventListener("activate", (/** @type {Lasting} */ e) => e.waitUntil(begin()));

worker.addEventListener("message", () => worker.skipWaiting()); // all that a page says: take the old one's place

worker.addEventListener("fetch", (/** @type {Asking} */ e) => {
  const path = e.request.url.slice(worker.registration.scope.length).split(/[?#]/)[0];
  const file = files[path === "index.html" ? "" : path];
  if (e.request.method === "GET" && file) e.respondWith(kept(file).then((had) => had || fetch(e.request)));
});
