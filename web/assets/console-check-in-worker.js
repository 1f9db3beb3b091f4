// Keeps the page of an entrance, so that it opens without a connection. The page itself fills the cache; the data is not here.
const CACHE = 'fairgate-check-in';

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

const kept = async (request) => (await caches.open(CACHE)).match(request, { ignoreVary: true, ignoreSearch: request.mode === 'navigate' });

/** The server's answer; the kept one when there is none, or when the server is in trouble. */
async function answer(request) {
  try {
    const response = await fetch(request);
    return response.status < 500 ? response : (await kept(request)) ?? response;
  } catch (problem) {
    const found = await kept(request);
    if (found) return found;
    throw problem;
  }
}

self.addEventListener('fetch', (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method !== 'GET' || origin !== location.origin || pathname.startsWith('/api/')) return;
  event.respondWith(answer(event.request));
});
