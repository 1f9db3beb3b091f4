// Seed, lots and seats of a draw, one at a time.
import { concat, u64, utf8 } from './bytes.js';
import { hmac, sha256 } from './hash.js';

export const seedOf = (sealHash, signature) => sha256(utf8('fairgate-seed/1\n'), sealHash, sha256(signature));

export const lotOf = (seed, leaf) => hmac(seed, concat(Uint8Array.of(1), leaf));

/** The order of seats: Fisher-Yates with numbers below a bound, without bias. */
export function shuffled(seed, label, count) {
  const order = Array.from({ length: count }, (_, i) => i);
  const numbers = [];
  let counter = 0;
  for (let i = count - 1; i > 0; i--) {
    const bound = BigInt(i + 1);
    let x;
    do {
      if (!numbers.length) {
        const view = new DataView(hmac(seed, concat(Uint8Array.of(3), utf8(label), u64(counter++))).buffer);
        numbers.push(...[0, 8, 16, 24].map((at) => view.getBigUint64(at)));
      }
      x = numbers.shift();
    } while (x >= (1n << 64n) - (1n << 64n) % bound);
    const j = Number(x % bound);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}
