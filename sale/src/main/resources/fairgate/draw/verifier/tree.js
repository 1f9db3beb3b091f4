// Merkle trees of RFC 9162, section 2.1.
import { concat, equal } from './bytes.js';
import { sha256 } from './hash.js';

export const leafHash = (data) => sha256(Uint8Array.of(0), data);
export const nodeHash = (left, right) => sha256(Uint8Array.of(1), left, right);

/** The root over leaf hashes: complete subtrees in pairs, an odd one goes up as it is. */
export function treeRoot(hashes) {
  let level = hashes;
  if (!level.length) return sha256(concat());
  while (level.length > 1) {
    const above = [];
    for (let i = 0; i + 1 < level.length; i += 2) above.push(nodeHash(level[i], level[i + 1]));
    if (level.length % 2) above.push(level.at(-1));
    level = above;
  }
  return level[0];
}

/** Whether the proof leads from the leaf at this index of a tree of this size to the root. */
export function inclusionHolds(index, size, leaf, proof, root) {
  if (!(index >= 0 && index < size)) return false;
  let at = index;
  let last = size - 1;
  let hash = leaf;
  for (const other of proof) {
    if (last === 0) return false;
    if (at % 2 || at === last) {
      hash = nodeHash(other, hash);
      while (at && at % 2 === 0) {
        at /= 2;
        last = Math.floor(last / 2);
      }
    } else hash = nodeHash(hash, other);
    at = Math.floor(at / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && equal(hash, root);
}
