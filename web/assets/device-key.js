// The device key: a key pair that this browser cannot export. It signs joins and purchases.
import { now, randomKey, wait } from './api.js';

const KEEPER_MS = 2000;
const bytes = (text) => new TextEncoder().encode(text);
const base64url = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
const json = (value) => base64url(bytes(JSON.stringify(value)));
let pair = null;

/** SHA-256 as base64url; crypto.subtle exists on https pages only. */
export const digest = async (text) => base64url(await crypto.subtle.digest('SHA-256', bytes(text)));

const settled = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

async function load() {
  const opening = indexedDB.open('fairgate', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('keys');
  const store = (await settled(opening)).transaction.bind(opening.result, 'keys');
  const known = await settled(store('readonly').objectStore('keys').get('device'));
  if (known) return known;
  const fresh = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
  // Another window may have made one meanwhile: the first one stays.
  const keys = store('readwrite').objectStore('keys');
  const first = await settled(keys.get('device'));
  if (!first) await settled(keys.put(fresh, 'device'));
  return first ?? fresh;
}

/** The key pair, within two seconds. One that comes later, or could not be loaded, is asked for again by the next call. */
function keyPair() {
  pair ??= load().catch((error) => {
    pair = null;
    throw error;
  });
  return Promise.race([pair, wait(KEEPER_MS).then(() => Promise.reject(new Error('late')))]);
}

/** The header with the proof for a POST; no header where the browser cannot prove anything. */
export async function proof(path, claims) {
  try {
    const { publicKey, privateKey } = await keyPair();
    const { x, y } = await crypto.subtle.exportKey('jwk', publicKey);
    const head = json({ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty: 'EC', crv: 'P-256', x, y } });
    const about = { htm: 'POST', htu: location.origin + path, iat: Math.floor(now() / 1000), jti: randomKey(), ...claims };
    const signed = head + '.' + json(about);
    const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, bytes(signed));
    return { DPoP: signed + '.' + base64url(signature) };
  } catch {
    return {};
  }
}
