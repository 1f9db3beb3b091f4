// Where a ticket stands, computed from the documents that all browsers share: the head and the tile of the own block.

const bytes = (hex) => Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16));
const sha256 = async (data) => new Uint8Array(await crypto.subtle.digest('SHA-256', data));
const ROUNDS = 90;
// Before the first measurement, one visitor ahead counts as this time until the next look.
const UNKNOWN_MS = 10;

/** The drawn number of a ticket: the swap-or-not shuffle, as the class TicketOrder describes it. */
export async function drawn(ticket, { n, seed }) {
  if (ticket >= n) return ticket;
  const key = bytes(seed);
  let at = ticket;
  for (let round = 0; round < ROUNDS; round++) {
    const first = (await sha256(new Uint8Array([...key, round]))).slice(0, 8);
    const pivot = Number(new DataView(first.buffer).getBigUint64(0) % BigInt(n));
    const other = (pivot - at + n) % n;
    const high = Math.max(at, other);
    const block = Math.floor(high / 256);
    const bits = await sha256(new Uint8Array([...key, round, block >>> 24, block >>> 16 & 255, block >>> 8 & 255, block & 255]));
    if (bits[high % 256 >> 3] >> (high % 8) & 1) at = other;
  }
  return at;
}

/** The number of set bits of a tile from one ticket of its block on, up to another. */
export function goneBetween(tile, from, to) {
  let count = 0;
  for (let i = from; i < to; i++) count += tile[i >> 3] >> (i & 7) & 1;
  return count;
}

/** Waiting visitors ahead of the ticket. Without a tile it may be too high by the gone ones of the own block. */
export function ahead(ticket, head, tile) {
  if (ticket < head.cursor) return 0;
  const size = 2 ** head.block;
  const block = Math.floor(ticket / size);
  let people = ticket - head.cursor;
  // A cached head may not have the newest blocks yet.
  for (let k = Math.floor(head.cursor / size); k < block; k++) people -= head.gone[k] ?? 0;
  const start = Math.max(head.cursor, block * size) - block * size;
  return tile ? people - goneBetween(tile, start, ticket - block * size) : people;
}

/** Whether the tile is the one of the head: bits are only set, so an equal count means equal bits. */
export function fits(tile, block, head) {
  const size = 2 ** head.block;
  return goneBetween(tile, Math.min(size, Math.max(0, head.cursor - block * size)), size) === (head.gone[block] ?? 0);
}

/** The time to wait in seconds, from the fastest to the slowest of the rates; null before the first measurement. */
export function estimate(people, rates) {
  const known = rates.filter((rate) => rate > 0);
  return known.length ? [people / Math.max(...known), people / Math.min(...known)] : null;
}

/** Time until the next look at the head, ms, spread at random. */
export function pollAfter(people, head) {
  const times = estimate(people, head.rate);
  const wanted = times ? (times[0] * 1000) / head.poll.div : people * UNKNOWN_MS;
  return Math.min(head.poll.max, Math.max(head.poll.min, wanted)) * (1 + 0.3 * Math.random());
}
