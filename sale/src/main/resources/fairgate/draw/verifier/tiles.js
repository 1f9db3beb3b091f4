// Trees in files (C2SP tlog-tiles): all leaves, or only the hashes that a proof needs.
import { equal } from './bytes.js';
import { Refused } from './note.js';
import { nodeHash, treeRoot } from './tree.js';

export function tilePath(folder, level, number, width) {
  const groups = [String(number % 1000).padStart(3, '0')];
  for (let rest = Math.floor(number / 1000); rest; rest = Math.floor(rest / 1000)) {
    groups.unshift('x' + String(rest % 1000).padStart(3, '0'));
  }
  return folder + '/tile/' + level + '/' + groups.join('/') + (width === 256 ? '' : '.p/' + width);
}

/** Leaves of the largest tree that is read. */
const MAX_LEAVES = 50_000_000;

/** Refuses a tree that is too large, before memory for its leaves is taken. */
export function checkSize(size) {
  if (size > MAX_LEAVES) throw new Refused('malformed_log', size + ' leaves');
}

/** Calls take(bytes, start, end, index) for each leaf of a tree. */
export async function readEntries(files, folder, size, progress, take) {
  checkSize(size);
  for (let first = 0; first < size; first += 256) {
    const width = Math.min(256, size - first);
    const bytes = await files.read(tilePath(folder, 'entries', first / 256, width));
    let at = 0;
    for (let i = 0; i < width; i++) {
      const end = at + 2 + (bytes[at] << 8 | bytes[at + 1]);
      if (!(end <= bytes.length)) throw new Refused('malformed_log', 'entry bundle ' + first / 256);
      take(bytes, at + 2, end, first + i);
      at = end;
    }
    if (at !== bytes.length) throw new Refused('malformed_log', 'entry bundle ' + first / 256);
    progress('read', first + width, size);
  }
}

/** The largest power of two below n. */
function split(n) {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/** A tree of which only the hash tiles that a proof needs are read. */
export class Tiles {
  constructor(files, folder, size) {
    Object.assign(this, { files, folder, size, known: new Map() });
  }

  async complete(width, index) {
    let level = 0;
    while (width >= 256) {
      width /= 256;
      level++;
    }
    const tile = Math.floor(index * width / 256);
    const full = Math.min(256, Math.floor(this.size / 256 ** level) - 256 * tile);
    const path = tilePath(this.folder, level, tile, full);
    if (!this.known.has(path)) this.known.set(path, await this.files.read(path));
    const first = index * width % 256;
    const bytes = this.known.get(path);
    if (bytes.length !== 32 * full) throw new Refused('malformed_log', path);
    return treeRoot(Array.from({ length: width }, (_, i) => bytes.slice(32 * (first + i), 32 * (first + i) + 32)));
  }

  /** The root over the leaves [start, end). */
  async root(start, end) {
    const width = end - start;
    if (width === 1 || (split(width) * 2 === width && start % width === 0)) return this.complete(width, start / width);
    const middle = start + split(width);
    return nodeHash(await this.root(start, middle), await this.root(middle, end));
  }

  async inclusion(index, start = 0, end = this.size) {
    if (end - start === 1) return [];
    const middle = start + split(end - start);
    return index < middle
      ? [...await this.inclusion(index, start, middle), await this.root(middle, end)]
      : [...await this.inclusion(index, middle, end), await this.root(start, middle)];
  }

  async consistency(size, start = 0, end = this.size, whole = true) {
    if (size === end) return whole ? [] : [await this.root(start, end)];
    const middle = start + split(end - start);
    return size <= middle
      ? [...await this.consistency(size, start, middle, whole), await this.root(middle, end)]
      : [...await this.consistency(size, middle, end, false), await this.root(start, middle)];
  }
}

const isPowerOfTwo = (n) => n === 1 || split(n) * 2 === n;

/** RFC 9162, 2.1.4.2, for 0 < first <= second. */
export function consistencyHolds(first, second, firstRoot, secondRoot, proof) {
  if (first === second) return !proof.length && equal(firstRoot, secondRoot);
  const [start, ...rest] = isPowerOfTwo(first) ? [firstRoot, ...proof] : proof;
  if (!start) return false;
  let fn = first - 1;
  let sn = second - 1;
  const up = () => {
    fn = Math.floor(fn / 2);
    sn = Math.floor(sn / 2);
  };
  while (fn % 2) up();
  let fr = start;
  let sr = start;
  for (const other of rest) {
    if (sn === 0) return false;
    if (fn % 2 || fn === sn) {
      fr = nodeHash(other, fr);
      sr = nodeHash(other, sr);
      while (fn && fn % 2 === 0) up();
    } else sr = nodeHash(sr, other);
    up();
  }
  return sn === 0 && equal(fr, firstRoot) && equal(sr, secondRoot);
}
