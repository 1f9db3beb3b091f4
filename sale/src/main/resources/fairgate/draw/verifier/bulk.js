// Hashes and order of millions of entries: hashes are eight words each in one array, and nothing is allocated per entry.
import { compress, START } from './hash.js';

const shifted = new Int32Array(32);
const state = new Int32Array(8);

/** Writes SHA-256(... prefix byte || words) to out[at]; `first` is the state after `before` bytes. */
function hashWords(prefix, words, from, count, out, at, first = START, before = 0) {
  shifted[0] = prefix << 24 | words[from] >>> 8;
  for (let i = 1; i < count; i++) shifted[i] = words[from + i - 1] << 24 | words[from + i] >>> 8;
  shifted[count] = words[from + count - 1] << 24 | 0x800000;
  const blocks = count > 13 ? 2 : 1;
  shifted.fill(0, count + 1, 16 * blocks - 1);
  shifted[16 * blocks - 1] = (1 + 4 * count + before) * 8;
  state.set(first);
  compress(state, shifted, 0);
  if (blocks === 2) compress(state, shifted, 16);
  out.set(state, at);
}

let message = new Uint8Array(1024);
let view = new DataView(message.buffer);
let block = new Int32Array(16);

/** Writes the leaf hash of bytes[start, end) to out[at]. */
export function leafHashInto(bytes, start, end, out, at) {
  const length = end - start + 1;
  const size = Math.ceil((length + 9) / 64) * 64;
  if (size > message.length) {
    message = new Uint8Array(2 * size);
    view = new DataView(message.buffer);
  }
  message[0] = 0;
  for (let i = start; i < end; i++) message[i - start + 1] = bytes[i];
  message[length] = 0x80;
  message.fill(0, length + 1, size);
  view.setUint32(size - 4, length * 8);
  state.set(START);
  for (let i = 0; i < size; i += 64) {
    for (let j = 0; j < 16; j++) block[j] = view.getInt32(i + 4 * j);
    compress(state, block, 0);
  }
  out.set(state, at);
}

export function hashAt(words, index) {
  const bytes = new Uint8Array(32);
  const to = new DataView(bytes.buffer);
  for (let i = 0; i < 8; i++) to.setInt32(4 * i, words[8 * index + i]);
  return bytes;
}

export function setHash(words, index, bytes) {
  const from = new DataView(bytes.buffer, bytes.byteOffset, 32);
  for (let i = 0; i < 8; i++) words[8 * index + i] = from.getInt32(4 * i);
}

/** The hashes of all complete subtrees, level by level, for the root of every prefix. */
export function levelsOf(leaves) {
  const levels = [leaves];
  while (levels.at(-1).length > 8) {
    const below = levels.at(-1);
    const above = new Int32Array(Math.floor(below.length / 16) * 8);
    for (let i = 0; i < above.length; i += 8) hashWords(1, below, 2 * i, 16, above, i);
    levels.push(above);
  }
  return levels;
}

/** The root of the first leaves of a tree. */
export function prefixRoot(levels, size) {
  const pair = new Int32Array(16);
  let found = false;
  for (let level = 0; level < levels.length; level++) {
    if (!(Math.floor(size / 2 ** level) % 2)) continue;
    const left = (Math.floor(size / 2 ** level) - 1) * 8;
    if (found) {
      pair.copyWithin(8, 0, 8);
      pair.set(levels[level].subarray(left, left + 8));
      hashWords(1, pair, 0, 16, pair, 0);
    } else pair.set(levels[level].subarray(left, left + 8));
    found = true;
  }
  if (found) return hashAt(pair, 0);
  const empty = new Int32Array(8);
  const none = new Int32Array(16);
  none[0] = 0x80000000 | 0;
  empty.set(START);
  compress(empty, none, 0);
  return hashAt(empty, 0);
}

/** HMAC-SHA-256(seed, 0x01 || leaf hash) of all leaf hashes. */
export function lotsOf(seed, leaves, progress) {
  const key = new Int32Array(8);
  setHash(key, 0, seed);
  const keyed = (pad) => {
    const words = new Int32Array(16).fill(pad);
    for (let i = 0; i < 8; i++) words[i] ^= key[i];
    const after = START.slice();
    compress(after, words, 0);
    return after;
  };
  const inner = keyed(0x36363636);
  const outer = keyed(0x5c5c5c5c);
  const lots = new Int32Array(leaves.length);
  const second = new Int32Array(16);
  for (let at = 0; at < leaves.length; at += 8) {
    hashWords(1, leaves, at, 8, second, 0, inner, 64);
    second[8] = 0x80000000 | 0;
    second[15] = (64 + 32) * 8;
    state.set(outer);
    compress(state, second, 0);
    lots.set(state, at);
    if (at % 131072 === 0) progress('lots', at / 8, leaves.length / 8);
  }
  return lots;
}

function compareHashes(words, a, b) {
  for (let i = 0; i < 8; i++) {
    const x = words[8 * a + i] >>> 0;
    const y = words[8 * b + i] >>> 0;
    if (x !== y) return x - y;
  }
  return 0;
}

/** The indices in the order of (tier, lot, leaf hash): counting sorts by 16 bits, then ties one by one. */
export function orderOf(lots, leaves, tiers) {
  const size = lots.length / 8;
  let order = Uint32Array.from({ length: size }, (_, i) => i);
  const sortBy = (digit) => {
    const starts = new Uint32Array(65537);
    for (let i = 0; i < size; i++) starts[digit(i) + 1]++;
    for (let i = 0; i < 65536; i++) starts[i + 1] += starts[i];
    const sorted = new Uint32Array(size);
    for (const i of order) sorted[starts[digit(i)]++] = i;
    order = sorted;
  };
  sortBy((i) => lots[8 * i + 1] >>> 16);
  sortBy((i) => lots[8 * i] & 0xffff);
  sortBy((i) => lots[8 * i] >>> 16);
  const later = (a, b) => (compareHashes(lots, a, b) || compareHashes(leaves, a, b)) > 0;
  for (let i = 1; i < size; i++) {
    for (let j = i; j > 0 && later(order[j - 1], order[j]); j--) {
      [order[j - 1], order[j]] = [order[j], order[j - 1]];
    }
  }
  if (tiers.some((tier) => tier > 0)) {
    sortBy((i) => tiers[i] % 65536);
    sortBy((i) => Math.floor(tiers[i] / 65536));
  }
  return order;
}

/** The result leaves as words: rank in two words, lot, leaf hash; and the leaf hash of each. */
export function resultOf(order, lots, leaves, progress) {
  const rows = new Int32Array(18 * order.length);
  const hashes = new Int32Array(8 * order.length);
  for (let rank = 0; rank < order.length; rank++) {
    const from = 8 * order[rank];
    rows[18 * rank + 1] = rank;
    for (let i = 0; i < 8; i++) {
      rows[18 * rank + 2 + i] = lots[from + i];
      rows[18 * rank + 10 + i] = leaves[from + i];
    }
    hashWords(0, rows, 18 * rank, 18, hashes, 8 * rank);
    if (rank % 16384 === 0) progress('result', rank, order.length);
  }
  return { rows, hashes };
}
