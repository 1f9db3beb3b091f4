// Checks the tokens and heads of Fairgate's waiting rooms with WebCrypto: for edge workers, Node and Deno. No dependencies.
//
//   import {verifyPass} from './fairgate-verify.mjs';
//   const pass = await verifyPass(token, {room: 'tour', keys: jwks.keys, epoch: jwks.epoch, revoked: new Set(), now});
//   if (!pass.ok) { ... pass.reason ... }
//
// `keys` are JSON Web Keys: the public keys of /.well-known/fairgate/{room}/jwks.json, or for edges with HS256 the key of the
// room, epoch and token type as {kty: 'oct', alg: 'HS256', kid: 'tour.7', typ: 'fg-pass+jwt', k: '...'}. `now` is in seconds.

const MAX_TOKEN = 1024;
const MAX_HEAD_AGE_SECONDS = 10;
const MAX_PROOF_AGE_SECONDS = 300;
const MAX_CLOCK_SKEW_SECONDS = 30;
const UTF8 = new TextEncoder();

const refused = (reason) => ({ok: false, reason});

function encode(bytes) {
  let text = '';
  for (const byte of new Uint8Array(bytes)) text += String.fromCharCode(byte);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

// The bytes of base64url without padding; null for any other spelling of the same bytes.
function decode(text) {
  if (typeof text !== 'string' || !/^[A-Za-z0-9_-]+$/.test(text)) return null;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
    return encode(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}

function jsonObject(bytes) {
  try {
    const value = JSON.parse(new TextDecoder('utf-8', {fatal: true}).decode(bytes));
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

// The parts of a compact JWS; null when it is malformed.
function parse(token) {
  if (typeof token !== 'string' || token.length > MAX_TOKEN) return null;
  const parts = token.split('.');
  if (parts.length !== 3) return null;
  const [header, payload, signature] = parts.map(decode);
  if (!header || !payload || !signature) return null;
  const parsed = {header: jsonObject(header), claims: jsonObject(payload), signature};
  if (!parsed.header || !parsed.claims) return null;
  parsed.signed = UTF8.encode(`${parts[0]}.${parts[1]}`);
  return parsed;
}

const ALGORITHMS = {
  ES256: {
    fits: (key) => key.kty === 'EC' && key.crv === 'P-256',
    parameters: {name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256'},
  },
  HS256: {
    fits: (key) => key.kty === 'oct' && (decode(key.k) ?? []).length >= 32,
    parameters: {name: 'HMAC', hash: 'SHA-256'},
  },
  EdDSA: {
    fits: (key) => key.kty === 'OKP' && key.crv === 'Ed25519',
    parameters: {name: 'Ed25519'},
  },
};

// Only the key decides about the algorithm; members such as `use` and `key_ops` do not matter here.
async function signatureIsValid(key, signature, signed) {
  const {kty, crv, x, y, k} = key;
  const {parameters} = ALGORITHMS[key.alg];
  try {
    const imported = await crypto.subtle.importKey('jwk', {kty, crv, x, y, k}, parameters, false, ['verify']);
    return await crypto.subtle.verify(parameters, imported, signature, signed);
  } catch {
    return false;
  }
}

async function verifyToken(token, type, {room, keys, epoch, revoked = new Set(), now}) {
  const parsed = parse(token);
  if (!parsed) return refused('malformed');
  const {header, claims} = parsed;
  if (Object.keys(header).sort().join() !== 'alg,kid,typ') return refused('malformed');
  if (header.typ !== type) return refused('wrong_type');
  const key = keys.find((each) => each.kid === header.kid && each.typ === type);
  if (!key) return refused('unknown_key');
  const algorithm = ALGORITHMS[key.alg];
  if (header.alg !== key.alg || !algorithm || key.alg === 'EdDSA' || !algorithm.fits(key)) return refused('wrong_algorithm');
  if (!(await signatureIsValid(key, parsed.signature, parsed.signed))) return refused('bad_signature');
  const numbers = [claims.ep, claims.t, claims.iat, claims.exp];
  if (!numbers.every((n) => Number.isSafeInteger(n) && n >= 0) || typeof claims.jti !== 'string') return refused('malformed');
  if (claims.aud !== room) return refused('other_room');
  if (claims.ep !== epoch) return refused('old_epoch');
  if (claims.iat > now + MAX_CLOCK_SKEW_SECONDS) return refused('not_yet_valid');
  if (claims.exp <= now) return refused('expired');
  if (revoked.has(claims.jti)) return refused('revoked');
  return {ok: true, claims};
}

/** Checks the pass of a visitor, the value of the pass cookie. */
export function verifyPass(token, trust) {
  return verifyToken(token, 'fg-pass+jwt', trust);
}

/** Checks a turn token, which counts once: remember its `jti` until it ends. */
export function verifyTurn(token, trust) {
  return verifyToken(token, 'fg-turn+jwt', trust);
}

/** Checks a place token. It proves a place in the room, not that its turn has come: see `edgeAdmits`. */
export function verifyPlace(token, trust) {
  return verifyToken(token, 'fg-place+jwt', trust);
}

// JSON Canonicalization Scheme (RFC 8785): JSON.stringify already writes numbers and strings that way.
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join()}}`;
}

/** Checks the head of a room, as text. A head counts for ten seconds after it was issued. */
export async function verifyHead(text, {room, keys, epoch, now}) {
  const head = typeof text === 'string' ? jsonObject(UTF8.encode(text)) : null;
  if (!head) return refused('malformed');
  const {sig, ...rest} = head;
  const signature = decode(sig);
  if (!signature || !Number.isSafeInteger(head.cursor) || !Number.isSafeInteger(head.issued)) return refused('malformed');
  const candidates = keys.filter((each) => each.alg === 'EdDSA' && each.typ === 'fg-head+json' && ALGORITHMS.EdDSA.fits(each));
  if (candidates.length === 0) return refused('unknown_key');
  const signed = UTF8.encode(canonical(rest));
  const verdicts = await Promise.all(candidates.map((key) => signatureIsValid(key, signature, signed)));
  if (!verdicts.includes(true)) return refused('bad_signature');
  if (head.room !== room) return refused('other_room');
  if (head.epoch !== epoch) return refused('old_epoch');
  if (head.issued > now + MAX_CLOCK_SKEW_SECONDS) return refused('not_yet_valid');
  if (head.issued + MAX_HEAD_AGE_SECONDS < now) return refused('expired');
  return {ok: true, head};
}

const sha256 = async (bytes) => encode(await crypto.subtle.digest('SHA-256', bytes));

async function secretIsRight(secret, hold) {
  const bytes = decode(secret);
  if (!bytes || bytes.length !== 32 || typeof hold !== 'string') return false;
  const prefix = UTF8.encode('fairgate-hold/1\n');
  const joined = new Uint8Array(prefix.length + bytes.length);
  joined.set(prefix);
  joined.set(bytes, prefix.length);
  return (await sha256(joined)) === hold;
}

// A proof of possession as in RFC 9449: signed by the key of the place token, for this token, method, URL and time.
async function deviceProofIsRight(proof, jkt, token, {method, url, now}) {
  const parsed = parse(proof);
  if (!parsed || parsed.header.typ !== 'dpop+jwt' || parsed.header.alg !== 'ES256') return false;
  const jwk = {...parsed.header.jwk, alg: 'ES256'};
  if (!ALGORITHMS.ES256.fits(jwk) || jwk.d !== undefined) return false;
  const {crv, kty, x, y} = jwk;
  if ((await sha256(UTF8.encode(JSON.stringify({crv, kty, x, y})))) !== jkt) return false;
  const {ath, htm, htu, iat} = parsed.claims;
  if (ath !== (await sha256(UTF8.encode(token)))) return false;
  return htm === method && htu === url && Number.isSafeInteger(iat) && Math.abs(now - iat) <= MAX_PROOF_AGE_SECONDS
    && (await signatureIsValid(jwk, parsed.signature, parsed.signed));
}

/**
 * The edge rule: a valid place token, and a valid head issued within ten seconds, and a ticket below its cursor, and proof
 * of possession. `proof` is {secret} or {dpop, method, url}. Tickets that were drawn at an opening enter through the server.
 */
export async function edgeAdmits(token, headText, proof, trust) {
  const place = await verifyPlace(token, trust);
  if (!place.ok) return place;
  const head = await verifyHead(headText, trust);
  if (!head.ok) return {ok: false, reason: `head_${head.reason}`};
  if (head.head.phase !== 'open') return refused('not_open');
  const {hold, jkt} = place.claims.cnf ?? {};
  const proven = jkt
    ? await deviceProofIsRight(proof.dpop, jkt, token, {method: proof.method, url: proof.url, now: trust.now})
    : await secretIsRight(proof.secret, hold);
  if (!proven) return refused('no_proof');
  // The drawn order of early tickets is computed by the server.
  if (head.head.drawn && place.claims.t < head.head.drawn.n) return refused('drawn');
  return place.claims.t < head.head.cursor ? place : refused('not_yet');
}
