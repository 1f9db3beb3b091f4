// The draw of a waiting room's order: from the house log and the room's public record. Checks: docs/api/room-draw-format.md.
import { equal, hex, u64, utf8 } from './bytes.js';
import { blsHolds } from './bls.js';
import { sha256 } from './hash.js';
import { isRoomLeaf, parseChain, parseJson, parseRoomLeaf } from './leaf.js';
import { openCheckpoint, parseKey, parseProof, quorum, Refused, step } from './note.js';
import { readEntries } from './tiles.js';
import { inclusionHolds, leafHash, treeRoot } from './tree.js';
import { isOverdue, QUICKNET, SEAL_MARGIN_SECONDS, timeOf } from './check.js';

const ROUNDS = 90;
/** The phases of a room that has opened. */
const OPENED = ['open', 'paused', 'ended'];
/** Time after a round until the result must be public if the room lets people in. */
const OPEN_SECONDS = 60;

/** The drawn number of a ticket: the swap-or-not shuffle. */
export function placeOf(ticket, count, seed) {
  let at = ticket;
  if (ticket >= count) return at;
  for (let round = 0; round < ROUNDS; round++) {
    const first = sha256(seed, Uint8Array.of(round));
    const pivot = Number(new DataView(first.buffer, first.byteOffset).getBigUint64(0) % BigInt(count));
    const other = (pivot - at + count) % count;
    const high = Math.max(at, other);
    const bits = sha256(seed, Uint8Array.of(round), u64(Math.floor(high / 256)).subarray(4));
    if (bits[high % 256 >> 3] >> (high % 8) & 1) at = other;
  }
  return at;
}

function absent(e) {
  if (e instanceof Refused && e.code === 'missing_file') return {};
  throw e;
}

/** One draw of a room. `found` has what the checks established so far, for the page. */
export class RoomCheck {
  /** `ticket` is a BigInt, so that a number of any size is told as it was given; `now` is in seconds. */
  constructor(files, { room, ticket = null, chains = [], now = Date.now() / 1000 }, progress) {
    Object.assign(this, { files, room, ticket, chains, now, progress, leaves: [] });
    this.found = { room, stage: 'announced', announced: [], warnings: [] };
  }

  /** Runs the checks of the latest draw; the verdict is `found` with a code. */
  async verdict() {
    try {
      await this.run();
      this.inDraw();
      this.found.code = 'ok';
    } catch (e) {
      this.found.code = e instanceof Refused ? e.code : 'malformed_bundle';
      this.found.detail = e instanceof Refused ? e.detail : 'defect: ' + e;
    }
    return this.found;
  }

  async run() {
    const record = await this.json('/draws');
    this.key = step('malformed_bundle', () => parseKey(record.log, 1));
    this.firstEpoch = Object.hasOwn(record, 'first_epoch') ? record.first_epoch : 0;
    if (!Number.isSafeInteger(this.firstEpoch)) throw new Refused('malformed_bundle', 'first_epoch');
    await this.log();
    const seals = this.leaves.filter(({ kind }) => kind === 'seal');
    this.found.announced = seals.map(({ values }) => values.epoch);
    if (!seals.length) throw new Refused('not_announced', this.room);
    const epoch = Math.max(...this.found.announced);
    const [seal, ...more] = seals.filter(({ values }) => values.epoch === epoch);
    if (more.length) throw new Refused('second_seal', String(epoch));
    const listed = Array.isArray(record.draws) ? record.draws.find((draw) => draw?.epoch === epoch) : null;
    if (!listed) throw new Refused('missing_file', 'draws');
    if (typeof listed.chain !== 'string' || typeof listed.proof !== 'string') throw new Refused('malformed_bundle', 'draws');
    const { tickets, beacon: [name, round] } = seal.values;
    const chain = this.chain(name, listed.chain);
    const throwAt = timeOf(chain, round);
    Object.assign(this.found, { stage: 'sealed', epoch, tickets, round, throwAt, seal: hex(seal.hash), log: this.key.name, chain: chain !== QUICKNET });
    if (epoch < this.firstEpoch) this.found.warnings.push('earlier_room');
    if (seal.quorum) this.cosigned(seal, listed.proof, throwAt - SEAL_MARGIN_SECONDS);
    else this.found.warnings.push('no_witness');
    this.found.cosigned = true;
    await this.result(seal, chain, throwAt);
  }

  /** A ticket that is not in the draw fails when all else is right. */
  inDraw() {
    const { tickets } = this.found;
    if (this.ticket === null || tickets === undefined || this.has(tickets)) return;
    throw new Refused('ticket_not_in_draw', this.ticket + ', not 0-' + (tickets - 1));
  }

  has(tickets) {
    return this.ticket >= 0 && this.ticket < tickets;
  }

  async log() {
    const { size, root } = openCheckpoint(await this.files.read('log/checkpoint'), this.key);
    this.hashes = [];
    const leaves = [];
    await readEntries(this.files, 'log', size, this.progress, (bytes, start, end, index) => {
      const data = bytes.slice(start, end);
      this.hashes.push(leafHash(data));
      if (isRoomLeaf(data)) leaves.push([data, index]);
    });
    if (!equal(treeRoot(this.hashes), root)) throw new Refused('forked_log', 'root');
    this.leaves = step('malformed_leaf', () => leaves.map(([data, at]) => parseRoomLeaf(data, at))).filter(({ values }) => values.room === this.room);
  }

  chain(name, info) {
    if (name === QUICKNET.hash) return QUICKNET;
    if (!this.chains.includes(name)) throw new Refused('unknown_beacon', name);
    const chain = step('malformed_chain', () => parseChain(utf8(info)));
    if (chain.hash !== name) throw new Refused('malformed_chain', chain.hash);
    return chain;
  }

  cosigned({ hash, quorum: needed, witnesses }, proof, limit) {
    if (!proof) throw new Refused('no_quorum', 'proof');
    const { index, hashes, checkpoint } = step('malformed_proof', () => parseProof(utf8(proof)));
    const { size, root, times } = openCheckpoint(checkpoint, this.key, witnesses);
    if (!inclusionHolds(index, size, hash, hashes, root)) throw new Refused('bad_proof');
    if (size > this.hashes.length || !equal(treeRoot(this.hashes.slice(0, size)), root)) throw new Refused('forked_log', 'proof');
    if (!quorum(times, needed, () => true)) throw new Refused('no_quorum', times.size + ' of ' + needed);
    if (!quorum(times, needed, (t) => t <= limit)) throw new Refused('late_seal', 'limit ' + limit);
    const names = new Map(witnesses.map(({ id, name }) => [id, name]));
    this.found.witnesses = [...times].map(([id, seen]) => ({ name: names.get(id), time: Math.min(...seen) }));
  }

  async result(seal, chain, throwAt) {
    const { epoch, tickets, beacon } = seal.values;
    const [leaf, ...more] = this.leaves.filter(({ kind, values }) => kind === 'result' && values.epoch === epoch);
    // The page checks the latest draw. A room without a head is gone.
    const head = async () => this.json('/head').catch(absent);
    const hasOpened = (phase) => epoch >= this.firstEpoch && OPENED.includes(phase);
    if (!leaf) {
      const isOpen = hasOpened((await head()).phase);
      if (isOverdue(throwAt, this.now) || (isOpen && this.now >= throwAt + OPEN_SECONDS)) throw new Refused('withheld', 'round ' + beacon[1]);
      return;
    }
    if (more.length || leaf.at < seal.at) throw new Refused('second_result', String(epoch));
    const { values } = leaf;
    if (String(values.beacon) !== String(beacon) || !equal(values.seal, seal.hash)) throw new Refused('wrong_round', String(values.beacon));
    if (!blsHolds(chain.publicKey, sha256(u64(beacon[1])), values.signature)) throw new Refused('forged_beacon', 'round ' + beacon[1]);
    const seed = sha256(utf8('fairgate-room-seed/1\n'), seal.hash, sha256(values.signature));
    if (!equal(seed, values.seed)) throw new Refused('wrong_result_root', hex(values.seed));
    Object.assign(this.found, { stage: 'drawn', seed: hex(seed), signature: hex(values.signature), beacon: beacon[0] });
    const { drawn, phase } = await head();
    if (drawn?.epoch === epoch) {
      if (drawn.n !== tickets || drawn.seed !== hex(seed)) throw new Refused('swapped_lots', 'head');
    } else if (hasOpened(phase)) throw new Refused('not_in_use', 'head');
    if (this.ticket !== null && this.has(tickets)) this.found.place = placeOf(Number(this.ticket), tickets, seed);
  }

  async json(name) {
    const bytes = await this.files.read('q/' + this.room + name);
    return step('malformed_bundle', () => parseJson(bytes));
  }
}
