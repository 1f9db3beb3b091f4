// Tries counters of an ALTCHA v2 challenge. Runs as a worker, and as a module in the page where
// workers are not to be had. SHA-256 is our own: asking crypto.subtle for a million small hashes
// takes many times longer, and needs https.

const K = new Int32Array(64);
const START = new Int32Array(8);

// The constants are the fractions of roots of the first primes (FIPS 180-4).
for (let candidate = 2, found = 0; found < 64; candidate++) {
  let prime = true;
  for (let d = 2; d * d <= candidate; d++) if (candidate % d === 0) prime = false;
  if (!prime) continue;
  K[found] = fraction(candidate, 3n);
  if (found < 8) START[found] = fraction(candidate, 2n);
  found++;
}

// The first 32 bits after the point of the root of a number, exactly.
function fraction(number, root) {
  const target = BigInt(number) << (32n * root);
  let low = 0n;
  let high = 1n << 40n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** root <= target) low = middle;
    else high = middle;
  }
  return Number(low & 0xffffffffn) | 0;
}

// One block: w holds 16 words of it and room for 48 more; state is replaced.
function compress(state, w) {
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15];
    const y = w[i - 2];
    w[i] = (((x >>> 7 | x << 25) ^ (x >>> 18 | x << 14) ^ x >>> 3) + w[i - 16]
      + ((y >>> 17 | y << 15) ^ (y >>> 19 | y << 13) ^ y >>> 10) + w[i - 7]) | 0;
  }
  let a = state[0], b = state[1], c = state[2], d = state[3];
  let e = state[4], f = state[5], g = state[6], h = state[7];
  for (let i = 0; i < 64; i++) {
    const t = (h + ((e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7))
      + (g ^ e & (f ^ g)) + K[i] + w[i]) | 0;
    const u = (((a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10))
      + (a & b | c & (a | b))) | 0;
    h = g; g = f; f = e; e = (d + t) | 0;
    d = c; c = b; b = a; a = (t + u) | 0;
  }
  state[0] = state[0] + a | 0; state[1] = state[1] + b | 0;
  state[2] = state[2] + c | 0; state[3] = state[3] + d | 0;
  state[4] = state[4] + e | 0; state[5] = state[5] + f | 0;
  state[6] = state[6] + g | 0; state[7] = state[7] + h | 0;
}

/** SHA-256 of bytes, as eight words in state. w is scratch space of 64 words. */
function digest(bytes, state, w) {
  state.set(START);
  const blocks = (bytes.length + 8 >> 6) + 1;
  for (let block = 0; block < blocks; block++) {
    w.fill(0, 0, 16);
    for (let i = 0; i < 64; i++) {
      const at = block * 64 + i;
      const byte = at < bytes.length ? bytes[at] : at === bytes.length ? 0x80 : 0;
      w[i >> 2] |= byte << 24 - 8 * (i & 3);
    }
    if (block === blocks - 1) w[15] = bytes.length * 8;
    compress(state, w);
  }
}

function fromHex(hex) {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

function toHex(words) {
  return Array.from(words, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

// How a key is made of the password (nonce and counter): fills state.
function sha256Key(salt, password, cost) {
  const first = new Uint8Array(salt.length + password.length);
  first.set(salt);
  const w = new Int32Array(64);
  return (state) => {
    first.set(password, salt.length);
    digest(first, state, w);
    for (let i = 1; i < cost; i++) {
      for (let j = 0; j < 8; j++) w[j] = state[j];
      w[8] = 0x80000000 | 0;
      w.fill(0, 9, 15);
      w[15] = 256;
      state.set(START);
      compress(state, w);
    }
  };
}

// PBKDF2 with HMAC-SHA-256; the password is shorter than a block.
function pbkdf2Key(salt, password, cost) {
  const w = new Int32Array(64);
  const inner = new Int32Array(8);
  const outer = new Int32Array(8);
  const round = new Int32Array(8);
  const block = new Uint8Array(64);
  const message = new Uint8Array(64 + salt.length + 4);
  const pad = (byte, into) => {
    block.fill(byte);
    for (let i = 0; i < password.length; i++) block[i] ^= password[i];
    for (let i = 0; i < 16; i++) {
      w[i] = block[4 * i] << 24 | block[4 * i + 1] << 16 | block[4 * i + 2] << 8 | block[4 * i + 3];
    }
    into.set(START);
    compress(into, w);
  };
  const second = (from) => {
    for (let j = 0; j < 8; j++) w[j] = round[j];
    w[8] = 0x80000000 | 0;
    w.fill(0, 9, 15);
    w[15] = (64 + 32) * 8;
    round.set(from);
    compress(round, w);
  };
  return (state) => {
    pad(0x36, inner);
    message.set(block);
    message.set(salt, 64);
    message[message.length - 1] = 1;
    digest(message, round, w);
    pad(0x5c, outer);
    second(outer);
    state.set(round);
    for (let i = 1; i < cost; i++) {
      second(inner);
      second(outer);
      for (let j = 0; j < 8; j++) state[j] ^= round[j];
    }
  };
}

const ALGORITHMS = { 'SHA-256': sha256Key, 'PBKDF2/SHA-256': pbkdf2Key };

/**
 * A search over the counters start, start + step, ...: each call of the result makes some more
 * tries, up to `milliseconds`, and gives {counter, derivedKey} or null, and how many it made.
 */
export function search(parameters, start, step) {
  const { algorithm, cost, keyLength, keyPrefix, nonce, salt } = parameters;
  const make = ALGORITHMS[algorithm];
  if (!make) throw new Error('unknown algorithm ' + algorithm);
  const nonceBytes = fromHex(nonce);
  const password = new Uint8Array(nonceBytes.length + 4);
  password.set(nonceBytes);
  const view = new DataView(password.buffer);
  const key = make(fromHex(salt), password, cost);
  const state = new Int32Array(8);
  const digits = Math.min(8, keyPrefix.length);
  const mask = -1 << 32 - 4 * digits;
  const wanted = parseInt(keyPrefix.slice(0, digits), 16) << 32 - 4 * digits;
  const batch = Math.max(1, Math.floor(4096 / cost));
  let counter = start;
  return (milliseconds) => {
    const until = performance.now() + milliseconds;
    let tries = 0;
    do {
      for (let i = 0; i < batch; i++, counter += step, tries++) {
        if (counter > 0xffffffff) throw new Error('no counter left');
        view.setUint32(nonceBytes.length, counter);
        key(state);
        if ((state[0] & mask) !== wanted) continue;
        const derivedKey = toHex(state).slice(0, 2 * keyLength);
        if (derivedKey.startsWith(keyPrefix)) return { solution: { counter, derivedKey }, tries };
      }
    } while (performance.now() < until);
    return { solution: null, tries };
  };
}

if (typeof WorkerGlobalScope !== 'undefined' && globalThis instanceof WorkerGlobalScope) {
  addEventListener('message', ({ data }) => {
    const more = search(data.parameters, data.start, data.step);
    for (;;) {
      const result = more(100);
      postMessage(result);
      if (result.solution) return;
    }
  });
}
