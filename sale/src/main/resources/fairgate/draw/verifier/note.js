// Signed notes, checkpoints and proofs (C2SP), and the verdict that stops a check.
import { concat, hex, Malformed, textOf, unbase64, utf8, wholeNumber } from './bytes.js';
import { ed25519Holds } from './ed25519.js';
import { sha256 } from './hash.js';

/** The verdict: a code of the table of checks, and a detail for experts. */
export class Refused extends Error {
  constructor(code, detail = '') {
    super(code + ' ' + detail);
    this.code = code;
    this.detail = detail;
  }
}

/** Calls the function; malformed input gives this code. */
export function step(code, call) {
  try {
    return call();
  } catch (e) {
    if (e instanceof Malformed || e instanceof SyntaxError || e instanceof RangeError) throw new Refused(code, e.message);
    throw e;
  }
}

export function keyOf(name, kind, publicKey) {
  const id = hex(sha256(utf8(name + '\n'), Uint8Array.of(kind), publicKey).subarray(0, 4));
  return { name, publicKey, id };
}

/** No plus sign, no control character and no white space, spelled out because programming languages differ in what they call white space. */
const isKeyName = (name) => /^[^+\0-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]{1,200}$/u.test(name);

/** A verifier key: `<name>+<key id>+<base64 of type and public key>`. */
export function parseKey(text, kind) {
  const parts = typeof text === 'string' ? /^([^+]+)\+([^+]+)\+(.+)$/.exec(text) : null;
  if (!parts || !isKeyName(parts[1])) throw new Malformed('verifier key');
  const data = unbase64(parts[3], 33);
  const key = keyOf(parts[1], data[0], data.subarray(1));
  if (data[0] !== kind || key.id !== parts[2]) throw new Malformed('verifier key');
  return key;
}

function parseNote(bytes) {
  const text = textOf(bytes);
  const cut = text.lastIndexOf('\n\n');
  if (cut < 0 || !text.endsWith('\n')) throw new Malformed('note');
  const lines = text.slice(cut + 2, -1).split('\n');
  if (lines.length > 64) throw new Malformed('signatures');
  const signatures = lines.map((line) => {
    const parts = line.split(' ');
    if (parts.length !== 3 || parts[0] !== '\u2014' || !isKeyName(parts[1])) throw new Malformed('signature line');
    const data = unbase64(parts[2]);
    if (data.length < 5) throw new Malformed('signature line');
    return { name: parts[1], id: hex(data.subarray(0, 4)), signature: data.subarray(4) };
  });
  return { text: text.slice(0, cut + 1), signatures };
}

/** The text of a note signed by the key, and for each witness the times of its cosignatures; `wrong` is the code for a wrong signature. */
export function openNote(bytes, key, witnesses = [], wrong = 'bad_signature') {
  const { text, signatures } = step('malformed_note', () => parseNote(bytes));
  const body = utf8(text);
  const times = new Map();
  let signed = false;
  for (const { name, id, signature } of signatures) {
    const is = (other) => other.name === name && other.id === id;
    if (is(key)) {
      signed = ed25519Holds(key.publicKey, body, signature);
      if (!signed) throw new Refused(wrong, name);
    }
    for (const witness of witnesses.filter(is)) {
      const view = new DataView(signature.buffer, signature.byteOffset, signature.length);
      const time = signature.length === 72 ? view.getBigUint64(0) : 0n;
      const message = concat(utf8('cosignature/v1\ntime ' + time + '\n'), body);
      if (!ed25519Holds(witness.publicKey, message, signature.subarray(8))) throw new Refused('bad_signature', name);
      times.set(id, [...(times.get(id) ?? []), Number(time)]);
    }
  }
  if (!signed) throw new Refused(wrong, key.name);
  return { text, times };
}

/** The names of the keys that signed a note; the signatures are not verified. */
export const keyNames = (bytes, malformed) => step(malformed, () => parseNote(bytes)).signatures.map(({ name }) => name);

/** Origin, size and root of a checkpoint; its signature is not verified. */
export const headOf = (bytes, malformed = 'malformed_note') => step(malformed, () => {
  const lines = parseNote(bytes).text.split('\n');
  if (lines.length !== 4 || lines[0] === '') throw new Malformed('checkpoint');
  return { origin: lines[0], size: wholeNumber(lines[1]), root: unbase64(lines[2], 32) };
});

/** Size, root and cosignature times of a checkpoint whose origin is the name of the key. */
export function openCheckpoint(bytes, key, witnesses = []) {
  const head = headOf(bytes);
  if (head.origin !== key.name) throw new Refused('bad_signature', head.origin);
  return { ...head, times: openNote(bytes, key, witnesses).times };
}

/** Extra data, index, hashes and checkpoint of a `.tlog-proof` file. */
export function parseProof(bytes) {
  let cut = 0;
  while (cut < bytes.length && !(bytes[cut] === 10 && bytes[cut + 1] === 10)) cut++;
  const lines = textOf(bytes.subarray(0, cut)).split('\n');
  if (cut >= bytes.length || lines.shift() !== 'c2sp.org/tlog-proof@v1') throw new Malformed('proof');
  const extra = lines[0]?.startsWith('extra ') ? unbase64(lines.shift().slice(6)) : null;
  if (!lines[0]?.startsWith('index ') || lines.length > 64) throw new Malformed('proof');
  const index = wholeNumber(lines.shift().slice(6));
  return { extra, index, hashes: lines.map((line) => unbase64(line, 32)), checkpoint: bytes.subarray(cut + 2) };
}

/** Whether a quorum has a cosignature that the condition accepts. */
export function quorum(times, needed, accepts) {
  return [...times.values()].filter((seen) => seen.some(accepts)).length >= needed;
}

