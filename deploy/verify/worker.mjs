// A waiting room in an edge worker, in the module syntax of Cloudflare Workers; others differ in the last lines only. Variables:
//   FAIRGATE  https://wait.example.com, where Fairgate is
//   ROOM      shop
//   OPEN      /assets/ /webhooks/   beginnings of paths that everybody may use; all others are protected
// The worker does not renew passes: a visit lasts the room's session_minutes.
import {verifyPass} from './fairgate-verify.mjs';

const KEYS_SECONDS = 300;
const EPOCH_SECONDS = 5;
const cache = new Map();

// A document of Fairgate that is at most this old; an older one while Fairgate is away.
async function document(url, seconds, now) {
  const known = cache.get(url);
  if (known && now < known.at + seconds) return known.value;
  try {
    const answer = await fetch(url, {headers: {accept: 'application/json'}});
    if (answer.status === 200) cache.set(url, {at: now, value: await answer.json()});
  } catch {
    // Fairgate is away: the document that is known goes on.
  }
  return cache.get(url)?.value;
}

function cookie(request, name) {
  const pair = (request.headers.get('cookie') ?? '').split(/; */).find((each) => each.startsWith(`${name}=`));
  return pair ? pair.slice(name.length + 1) : null;
}

async function hasPass(request, env, now) {
  const token = cookie(request, `__Host-fairgate_pass_${env.ROOM}`);
  if (!token) return false;
  const jwks = await document(`${env.FAIRGATE}/.well-known/fairgate/${env.ROOM}/jwks.json`, KEYS_SECONDS, now);
  const head = await document(`${env.FAIRGATE}/q/${env.ROOM}/head`, EPOCH_SECONDS, now);
  if (!jwks || !head) return false;
  return (await verifyPass(token, {room: env.ROOM, keys: jwks.keys, epoch: head.epoch, now})).ok;
}

// The longest address that Fairgate returns to.
const LONGEST_URL = 2048;

// Only a path that every server reads alike can be open.
function isOpen(path, env) {
  const plain = /^[A-Za-z0-9/_.-]+$/.test(path) && !path.includes('..') && !path.includes('//') && !path.includes('/./');
  return plain && env.OPEN.split(/\s+/).some((prefix) => prefix !== '' && path.startsWith(prefix));
}

function wait(request, env) {
  const mode = request.headers.get('sec-fetch-mode');
  const accept = request.headers.get('accept') ?? '';
  const repeatable = request.method === 'GET' || request.method === 'HEAD';
  // Of the other methods, browsers send forms with POST only. The visitor of a form returns to the page of the room's settings.
  const form = request.method === 'POST' && (mode ? mode === 'navigate' : accept.includes('text/html'));
  const navigation = repeatable && (mode ? mode === 'navigate' : !accept.includes('application/json'));
  const page = `${env.FAIRGATE}/q/${env.ROOM}/`;
  if (navigation || form) {
    const url = request.url.length > LONGEST_URL ? request.url.split('?')[0] : request.url;
    const location = form ? page : `${page}?url=${encodeURIComponent(url)}`;
    return new Response(null, {status: 302, headers: {location, 'cache-control': 'no-store'}});
  }
  const body = JSON.stringify({cfWaitingRoom: {inWaitingRoom: true, waitTimeKnown: false, refreshIntervalSeconds: 10}, location: page});
  const headers = {'content-type': 'application/json', 'retry-after': '10', 'cache-control': 'no-store'};
  return new Response(body, {status: 429, headers});
}

export default {
  async fetch(request, env) {
    const {pathname, search} = new URL(request.url);
    if (pathname === `/q/${env.ROOM}/pass`) {
      // The exchange of a turn for a pass, whose cookie belongs to this host.
      return fetch(`${env.FAIRGATE}${pathname}${search}`, {redirect: 'manual'});
    }
    const now = Math.floor(Date.now() / 1000);
    return isOpen(pathname, env) || (await hasPass(request, env, now)) ? fetch(request) : wait(request, env);
  },
};
