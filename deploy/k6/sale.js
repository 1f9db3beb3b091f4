// Buyers of one sale for k6: page, challenge with its real proof of work, queue, purchase, payment in the sandbox.
//
//   k6 run -e BASE_URL=https://staging.example -e PRODUCT=7 -e BUYERS=500 -e ARRIVAL=30 deploy/k6/sale.js
//
// BASE_URL, PRODUCT   the server and its sale, which you create and open
// BUYERS              how many come (50), each once
// ARRIVAL             seconds in which they come (10)
// WAIT                seconds after which a buyer gives up waiting (600)
// THINK               seconds that a buyer thinks before it buys, at most (4)
// PAY                 no: leaves orders unpaid (yes)
// FORWARDED           yes: each buyer has an address of its own by X-Forwarded-For (no)
//
// docs/operate/load-tests.md has the settings of the server, and what to look at.
import http from 'k6/http';
import { check, sleep } from 'k6';
import { sha256 } from 'k6/crypto';
import { b64encode } from 'k6/encoding';
import { Counter, Trend } from 'k6/metrics';

const BASE = (__ENV.BASE_URL || 'http://127.0.0.1:8080').replace(/\/$/, '');
const PRODUCT = __ENV.PRODUCT || '1';
const BUYERS = Number(__ENV.BUYERS || 50);
const ARRIVAL = Number(__ENV.ARRIVAL || 10);
const WAIT = Number(__ENV.WAIT || 600);
const THINK = Number(__ENV.THINK || 4);
const MOST_TRIES = 20;
// As a browser: buyers who say that they are programs wait behind all others (risk.mode).
const BROWSER = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
  'Accept-Language': 'zh-TW,zh;q=0.9',
  'Sec-Fetch-Site': 'same-origin',
  'Sec-Fetch-Mode': 'cors',
  'Sec-Fetch-Dest': 'empty',
};

export const options = {
  scenarios: {
    buyers: { executor: 'per-vu-iterations', vus: BUYERS, iterations: 1, maxDuration: `${ARRIVAL + WAIT + 60}s` },
  },
  // A refusal is an answer; what counts as failed is no answer, or an error of the server.
  thresholds: { http_req_failed: ['rate<0.001'], checks: ['rate==1'] },
};
http.setResponseCallback(http.expectedStatuses({ min: 200, max: 499 }, 503));

const joined = new Counter('fairgate_joined');
const turns = new Counter('fairgate_turns');
const bought = new Counter('fairgate_bought');
const paid = new Counter('fairgate_paid');
const refused = new Counter('fairgate_refused');
const proof = new Trend('fairgate_proof', true);
const wait = new Trend('fairgate_wait', true);

function call(name, method, path, body, headers = {}) {
  const forwarded = __ENV.FORWARDED === 'yes' ? { 'X-Forwarded-For': `100.64.${(__VU >> 8) & 255}.${__VU & 255}` } : {};
  const answer = http.request(method, BASE + path, body === null ? null : JSON.stringify(body), {
    headers: { ...BROWSER, ...(body === null ? {} : { 'Content-Type': 'application/json' }), ...forwarded, ...headers },
    tags: { name },
  });
  check(answer, { 'no internal error': ({ status }) => status < 500 || status === 503 });
  let data = {};
  try {
    data = answer.json();
  } catch (notJson) {
    // No answer, or a page.
  }
  return { status: answer.status, ok: answer.status >= 200 && answer.status < 300, error: data.error || '', data };
}

/** Whether the call is worth a repeat: its outcome is unknown, or the server asked for one. Waits before it. */
function again({ status, data }, tries) {
  if (!(status === 0 || status === 429 || status === 503) || tries >= MOST_TRIES) return false;
  sleep((data.retry_after || 2) + Math.random() / 2);
  return true;
}

function bytes(hex) {
  return hex.match(/../g).map((pair) => parseInt(pair, 16));
}

/** Solves ALTCHA v2 with SHA-256: the counter whose key, hashed `cost` times, begins with the prefix. */
export function solve(offer) {
  const { algorithm, cost, keyPrefix, nonce, salt } = offer.parameters;
  if (algorithm !== 'SHA-256') throw new Error('this script solves SHA-256, not ' + algorithm);
  const fixed = bytes(salt + nonce);
  const first = new Uint8Array(fixed.length + 4);
  first.set(fixed);
  const counterAt = new DataView(first.buffer);
  for (let counter = 0; counter <= 0xffffffff; counter++) {
    counterAt.setUint32(fixed.length, counter);
    let key = first.buffer;
    for (let i = 1; i < cost; i++) key = sha256(key, 'binary');
    const derivedKey = sha256(key, 'hex');
    if (derivedKey.startsWith(keyPrefix)) return b64encode(JSON.stringify({ challenge: offer, solution: { counter, derivedKey } }));
  }
  throw new Error('no counter solves the challenge');
}

/** A token for one join; empty if the server needs none. */
function challengeToken(level) {
  const offer = call('challenge', 'GET', `/api/challenge?product_id=${PRODUCT}${level ? '&level=' + level : ''}`, null);
  const { provider, parameters, token } = offer.data;
  if (!offer.ok || provider === 'none') return '';
  if (provider === 'test') return token;
  if (!parameters) throw new Error(`only people pass the challenge ${provider}`);
  const from = Date.now();
  const solution = solve(offer.data);
  proof.add(Date.now() - from);
  return solution;
}

/** The session; null for a refusal. */
function join() {
  let level = '';
  for (let tries = 0; ; tries++) {
    const answer = call('join', 'POST', '/api/queue/join', { product_id: PRODUCT, turnstile_token: challengeToken(level) });
    if (answer.ok || answer.error === 'ALREADY_IN_QUEUE') return answer.data.session_id;
    const asked = { INVALID_TURNSTILE_TOKEN: 'usual', CHALLENGE_REQUIRED: 'harder' }[answer.error];
    if (asked && tries < 3) level = asked;
    else if (!again(answer, tries)) return refuse('join', answer);
  }
}

function refuse(step, { error, status }) {
  refused.add(1, { step, error: error || String(status) });
  return null;
}

const status = (session) => call('status', 'GET', '/api/queue/status', null, { 'X-Session-Id': session });

/** The place when its turn has come; null if it does not come. */
function awaitTurn(session) {
  const until = Date.now() + WAIT * 1000;
  for (let tries = 0; Date.now() < until; ) {
    const answer = status(session);
    const state = answer.data.queue_status;
    if (state === 'ready_to_purchase') return answer.data;
    if (answer.ok && state !== 'waiting' && state !== 'active') return refuse('turn', { error: state });
    if (answer.ok) {
      tries = 0;
      sleep(Math.max(50, answer.data.poll_after_ms) / 1000 + Math.random() / 5);
    } else if (!again(answer, ++tries)) {
      return refuse('turn', answer);
    }
  }
  call('leave', 'POST', '/api/queue/leave', {}, { 'X-Session-Id': session });
  return refuse('turn', { error: 'gave_up' });
}

/** The order; null for a refusal. A repeat has the same key, so it cannot buy twice. */
function purchase(session) {
  const key = `k6-${__VU}-${__ITER}-${Date.now()}`;
  for (let tries = 0; ; tries++) {
    const { purchase_token: token } = status(session).data;
    const answer = call('purchase', 'POST', '/api/purchase', { product_id: PRODUCT, quantity: 1, ...(token ? { purchase_token: token } : {}) },
      { 'X-Session-Id': session, 'Idempotency-Key': key });
    if (answer.ok) return answer.data;
    const stale = answer.error === 'INVALID_PURCHASE_TOKEN' && tries < MOST_TRIES;
    if (!stale && !again(answer, tries)) return refuse('purchase', answer);
  }
}

export default function buyer() {
  sleep(Math.random() * ARRIVAL);
  call('page', 'GET', '/p/' + PRODUCT, null);
  const session = join();
  if (!session) return;
  joined.add(1);
  const from = Date.now();
  if (!awaitTurn(session)) return;
  turns.add(1);
  wait.add(Date.now() - from);
  sleep(Math.random() * THINK);
  const order = purchase(session);
  if (!order) return;
  bought.add(1);
  if (order.status !== 'pending' || __ENV.PAY === 'no') return;
  sleep(Math.random() * THINK);
  const answer = call('pay', 'POST', `/api/orders/${order.order_id}/pay`, { result: 'paid' }, { 'X-Session-Id': session });
  if (answer.ok) paid.add(1);
}
