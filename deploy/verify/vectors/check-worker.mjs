// Runs the edge worker on the vectors, with a shop and a Fairgate that are functions: node check-worker.mjs
import {readFileSync} from 'node:fs';
import worker from '../worker.mjs';

const vectors = JSON.parse(readFileSync(new URL('vectors.json', import.meta.url), 'utf8'));
const env = {FAIRGATE: 'https://wait.example.com', ROOM: vectors.room, OPEN: '/assets/ /webhooks/'};
let passed = 0;
let failed = 0;

Date.now = () => vectors.now * 1000;
globalThis.fetch = async (target) => {
  const url = typeof target === 'string' ? target : target.url;
  if (url.endsWith('/jwks.json')) return Response.json({keys: vectors.keys.filter((key) => key.kty !== 'oct')});
  if (url.endsWith('/head')) return Response.json({epoch: vectors.epoch});
  if (url.includes('/pass?')) return new Response(null, {status: 303});
  return new Response('shop');
};

async function compare(name, expected, path, headers = {}, method = 'GET') {
  const {status} = await worker.fetch(new Request(`https://shop.example.com${path}`, {method, headers}), env);
  if (status === expected) {
    passed++;
  } else {
    failed++;
    console.log(`FAILED ${name}: expected ${expected}, not ${status}`);
  }
}

for (const {name, token, expected} of vectors.passes) {
  // A header cannot hold every text. Revoked passes, and HS256, are unknown to the worker.
  if (!/^[\x21-\x7e]+$/.test(token) || name.endsWith('HS256')) continue;
  const admitted = expected === 'ok' || expected === 'revoked';
  await compare(name, admitted ? 200 : 302, '/cart', {cookie: `a=b; __Host-fairgate_pass_${vectors.room}=${token}`});
}
for (const path of ['/assets/app.js', '/webhooks/pay']) await compare(path, 200, path);
for (const path of ['/assets/..%2fcart', '/assets/%2e%2e/cart', '/assets/a;x', '/assets//cart', '/ASSETS/a', '/assets\\..\\cart']) {
  await compare(path, 302, path);
}
await compare('a program', 429, '/cart', {accept: 'application/json'});
await compare('a script', 429, '/cart', {'sec-fetch-mode': 'cors'});
await compare('an unsafe method', 429, '/cart', {}, 'POST');
await compare('a form', 302, '/cart', {accept: 'text/html,*/*'}, 'POST');
await compare('a form of a new browser', 302, '/cart', {'sec-fetch-mode': 'navigate'}, 'POST');
await compare('a call of a page', 429, '/cart', {accept: 'text/html,*/*', 'sec-fetch-mode': 'cors'}, 'POST');
await compare('a long address', 302, '/cart?q=' + 'x'.repeat(3000));
await compare('the exchange of a turn', 303, `/q/${vectors.room}/pass?turn=x`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
