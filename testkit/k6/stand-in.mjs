// What scripts use of the modules k6, k6/http, k6/crypto, k6/encoding and k6/metrics, for Node. Calls block, as in k6.
import { createHash } from 'node:crypto';
import { MessageChannel, Worker, receiveMessageOnPort } from 'node:worker_threads';

const CALL_TIMEOUT_MS = 30000;
const answered = new Int32Array(new SharedArrayBuffer(4));
const { port1, port2 } = new MessageChannel();
const fetcher = new Worker(
  `const { workerData: { answered, port } } = require('node:worker_threads');
  port.on('message', async ({ method, url, headers, body }) => {
    let answer = { status: 0, body: '', cookies: [] };
    try {
      const response = await fetch(url, { method, headers, body, redirect: 'manual' });
      answer = { status: response.status, body: await response.text(), cookies: response.headers.getSetCookie() };
    } catch (noAnswer) {}
    port.postMessage(answer);
    Atomics.store(answered, 0, 1);
    Atomics.notify(answered, 0);
  });`,
  { eval: true, workerData: { answered, port: port2 }, transferList: [port2] },
);
fetcher.unref();

const totals = {};
const count = (name, value) => {
  totals[name] = (totals[name] ?? 0) + value;
};
let cookies = new Map();

/** A buyer has a browser of its own. */
export function newBuyer() {
  cookies = new Map();
}

/** The totals of all counters. */
export function end() {
  fetcher.terminate();
  return totals;
}

function request(method, url, body, { headers = {} } = {}) {
  Atomics.store(answered, 0, 0);
  const cookie = [...cookies].map(([name, value]) => name + '=' + value).join('; ');
  port1.postMessage({ method, url, body, headers: cookie ? { ...headers, Cookie: cookie } : headers });
  Atomics.wait(answered, 0, 0, CALL_TIMEOUT_MS);
  const answer = receiveMessageOnPort(port1)?.message ?? { status: 0, body: '', cookies: [] };
  for (const each of answer.cookies) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(each);
    cookies.set(name, value);
  }
  if (answer.status === 0 || (answer.status >= 500 && answer.status !== 503)) count('failed', 1);
  return { ...answer, json: () => JSON.parse(answer.body) };
}

export default { request, setResponseCallback() {}, expectedStatuses: (...all) => all };

export function check(value, checks) {
  const ok = Object.values(checks).every((holds) => holds(value));
  count(ok ? 'checks_passed' : 'checks_failed', 1);
  return ok;
}

export function sleep(seconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, seconds * 1000);
}

export function sha256(input, encoding) {
  const hash = createHash('sha256').update(typeof input === 'string' ? input : new Uint8Array(input)).digest();
  return encoding === 'hex' ? hash.toString('hex') : new Uint8Array(hash).buffer;
}

export const b64encode = (text) => Buffer.from(text).toString('base64');

export class Counter {
  constructor(name) {
    this.name = name;
  }

  add(value, tags) {
    count(tags ? this.name + JSON.stringify(tags) : this.name, value);
  }
}

export class Trend {
  add() {}
}
