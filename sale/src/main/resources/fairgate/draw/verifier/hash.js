// SHA-256, fast enough for millions of lots, and SHA-512 for a few signatures. Constants: fractions of the roots of primes.
import { concat } from './bytes.js';

const PRIMES = [];
for (let n = 2; PRIMES.length < 80; n++) if (PRIMES.every((p) => n % p)) PRIMES.push(n);

/** The first 64 bits behind the point of the k-th root of a small number. */
function rootFraction(number, k) {
  const target = BigInt(number) << BigInt(64 * k);
  let low = 0n;
  for (let bit = 1n << 69n; bit; bit >>= 1n) if ((low | bit) ** BigInt(k) <= target) low |= bit;
  return BigInt.asUintN(64, low);
}

const K512 = PRIMES.map((p) => rootFraction(p, 3));
const H512 = PRIMES.slice(0, 8).map((p) => rootFraction(p, 2));
const K256 = Int32Array.from(K512.slice(0, 64), (k) => Number(k >> 32n));
export const START = Int32Array.from(H512, (h) => Number(h >> 32n));
const w = new Int32Array(64);

/** One step of SHA-256: mixes the block of 16 words at `from` into the state. */
export function compress(state, words, from) {
  for (let i = 0; i < 16; i++) w[i] = words[from + i];
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15];
    const y = w[i - 2];
    w[i] = (w[i - 16] + w[i - 7]
      + ((x >>> 7 | x << 25) ^ (x >>> 18 | x << 14) ^ x >>> 3)
      + ((y >>> 17 | y << 15) ^ (y >>> 19 | y << 13) ^ y >>> 10)) | 0;
  }
  let a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
  for (let i = 0; i < 64; i++) {
    const t = (h + ((e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7)) + (g ^ e & (f ^ g)) + K256[i] + w[i]) | 0;
    const s = (((a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10)) + (a & b | c & (a | b))) | 0;
    h = g; g = f; f = e; e = (d + t) | 0; d = c; c = b; b = a; a = (t + s) | 0;
  }
  state[0] = state[0] + a | 0; state[1] = state[1] + b | 0; state[2] = state[2] + c | 0; state[3] = state[3] + d | 0;
  state[4] = state[4] + e | 0; state[5] = state[5] + f | 0; state[6] = state[6] + g | 0; state[7] = state[7] + h | 0;
}

/** The message with the padding of SHA-2: one bit, zeros, and the length. */
function padded(message, block) {
  const size = Math.ceil((message.length + 1 + block / 8) / block) * block;
  const all = new Uint8Array(size);
  all.set(message);
  all[message.length] = 0x80;
  new DataView(all.buffer).setBigUint64(size - 8, BigInt(message.length) * 8n);
  return new DataView(all.buffer);
}

export function sha256(...parts) {
  const view = padded(parts.length === 1 ? parts[0] : concat(...parts), 64);
  const words = new Int32Array(view.byteLength / 4);
  for (let i = 0; i < words.length; i++) words[i] = view.getInt32(4 * i);
  const state = START.slice();
  for (let from = 0; from < words.length; from += 16) compress(state, words, from);
  const out = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => out.setInt32(4 * i, word));
  return new Uint8Array(out.buffer);
}

export function hmac(key, message) {
  const block = new Uint8Array(64);
  block.set(key.length > 64 ? sha256(key) : key);
  return sha256(block.map((b) => b ^ 0x5c), sha256(block.map((b) => b ^ 0x36), message));
}

const rotate = (x, n) => x >> n | BigInt.asUintN(64, x << 64n - n);

export function sha512(...parts) {
  const view = padded(concat(...parts), 128);
  const state = H512.slice();
  for (let from = 0; from < view.byteLength; from += 128) {
    const m = Array.from({ length: 16 }, (_, i) => view.getBigUint64(from + 8 * i));
    for (let i = 16; i < 80; i++) {
      const x = m[i - 15];
      const y = m[i - 2];
      m[i] = BigInt.asUintN(64, m[i - 16] + m[i - 7]
        + (rotate(x, 1n) ^ rotate(x, 8n) ^ x >> 7n) + (rotate(y, 19n) ^ rotate(y, 61n) ^ y >> 6n));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 80; i++) {
      const t = h + (rotate(e, 14n) ^ rotate(e, 18n) ^ rotate(e, 41n)) + (g ^ e & (f ^ g)) + K512[i] + m[i];
      const s = (rotate(a, 28n) ^ rotate(a, 34n) ^ rotate(a, 39n)) + (a & b | c & (a | b));
      h = g; g = f; f = e; e = BigInt.asUintN(64, d + t); d = c; c = b; b = a; a = BigInt.asUintN(64, t + s);
    }
    [a, b, c, d, e, f, g, h].forEach((value, i) => (state[i] = BigInt.asUintN(64, state[i] + value)));
  }
  const out = new DataView(new ArrayBuffer(64));
  state.forEach((word, i) => out.setBigUint64(8 * i, word));
  return new Uint8Array(out.buffer);
}
