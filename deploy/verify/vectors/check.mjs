// Runs the JavaScript verifier on the vectors: node check.mjs
import {readFileSync} from 'node:fs';
import {edgeAdmits, verifyPass, verifyTurn} from '../fairgate-verify.mjs';

const {room, epoch, now, revoked, keys, passes, turns, edge} = JSON.parse(
  readFileSync(new URL('vectors.json', import.meta.url), 'utf8'));
const trust = {room, epoch, now, keys, revoked: new Set(revoked)};
let failures = 0;

function compare(name, expected, verdict) {
  const given = verdict.ok ? 'ok' : verdict.reason;
  if (given !== expected) {
    failures++;
    console.log(`FAILED ${name}: expected ${expected}, not ${given}`);
  }
}

for (const {name, token, expected} of passes) compare(name, expected, await verifyPass(token, trust));
for (const {name, token, expected} of turns) compare(name, expected, await verifyTurn(token, trust));
for (const {name, place, head, proof, expected} of edge) compare(name, expected, await edgeAdmits(place, head, proof, trust));
console.log(`${passes.length + turns.length + edge.length - failures} passed, ${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;
