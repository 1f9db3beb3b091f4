// The checks of a draw, in the order of docs/api/draw-format.md. `light` needs no list of all entries, `full` makes all.
import { concat, equal, hex, Malformed, textOf, u64, unhex, utf8 } from './bytes.js';
import { blsHolds } from './bls.js';
import { hashAt, leafHashInto, levelsOf, lotsOf, orderOf, prefixRoot, resultOf, setHash } from './bulk.js';
import { sha256 } from './hash.js';
import { parseAllotments, parseChain, parseDrawId, parseEntry, parseLeaf, parsePromise, parseRules } from './leaf.js';
import { lotOf, seedOf } from './lot.js';
import { headOf, keyNames, keyOf, openCheckpoint, openNote, parseKey, parseProof, quorum, Refused, step } from './note.js';
import { checkSize, consistencyHolds, readEntries, Tiles } from './tiles.js';
import { inclusionHolds, leafHash, treeRoot } from './tree.js';

export const QUICKNET = {
  hash: '52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971',
  publicKey: unhex('83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451'
    + '0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a'),
  genesis: 1692803367,
  period: 3,
};
export const SEAL_MARGIN_SECONDS = 60;

/** Bytes of the largest receipt that is read. */
export const MAX_RECEIPT = 65_536;

/** Time after a beacon round until its result must be public. */
const GRACE_SECONDS = 15 * 60;

/** The code for a receipt that is damaged, or not signed by this draw's key. It proves nothing, so it accuses nobody. */
const UNUSABLE = 'unusable_receipt';

/** Leaves of entries that take no part. */
const ABSENCES = { exclude: 'excluded', withdraw: 'withdrawn' };

export const timeOf = (chain, round) => chain.genesis + (round - 1) * chain.period;
export const isOverdue = (roundTime, now) => now >= roundTime + GRACE_SECONDS;

/** One draw. `found` has what the checks established so far, for the page. */
export class Check {
  /** `now` is in seconds. */
  constructor(files, { receipt = null, chains = [], now = Date.now() / 1000 }, progress) {
    Object.assign(this, { files, receipt, chains, now, progress, log: null });
    this.found = { stage: 'announced', warnings: [] };
  }

  /** Runs checks; the verdict is `found` with a code. */
  async verdict(light) {
    try {
      await (light ? this.light() : this.full());
      this.found.code = 'ok';
    } catch (e) {
      this.found.code = e instanceof Refused ? e.code : 'malformed_bundle';
      this.found.detail = e instanceof Refused ? e.detail : 'defect: ' + e;
    }
    return this.found;
  }

  async light() {
    await this.bundle();
    await this.rulesProof(leafHash(concat(utf8('fairgate-rules/1\n'), this.rulesBytes)));
    const seal = await this.optional('seal');
    if (!seal) {
      this.unsealed();
      return this.withoutBeacon();
    }
    await this.sealed(step('malformed_leaf', () => parseLeaf(seal, 0)));
    const { size, root } = this.seal.values;
    const tiles = new Tiles(this.files, this.folder + 'log', size);
    const leafAt = async (index) => {
      const leaf = await tiles.root(index, index + 1);
      if (!inclusionHolds(index, size, leaf, await tiles.inclusion(index), root)) throw new Refused('forked_list', 'hash tiles');
      return leaf;
    };
    const prefixIs = async (m, other) => consistencyHolds(m, size, other, root, await tiles.consistency(m));
    await this.receiptHolds(leafAt, prefixIs, null);
    const beacon = await this.optional('beacon');
    if (beacon) this.dice(step('malformed_leaf', () => parseLeaf(beacon, 0)), null);
    else await this.withoutBeacon();
  }

  /** Only the log tells whether a draw without a beacon was aborted. It is not read before the round is overdue. */
  async withoutBeacon() {
    if (!isOverdue(timeOf(this.chain, this.rules.rounds[0]), this.now)) return;
    await this.houseLog();
    if (this.leaves('beacon').length) throw new Refused('missing_file', 'beacon');
    this.stillToCome();
  }

  /** Until the beacon decides, a draw may be before its round, shortly after it, or aborted. */
  stillToCome() {
    const roundTime = timeOf(this.chain, this.rules.rounds[0]);
    const hasBeacon = this.leaves('beacon').length > 0;
    if (this.leaves('abort').some((leaf) => leaf.values.round === null)) {
      if (hasBeacon) throw new Refused('late_abort');
      this.found.stage = 'aborted';
    } else if (!hasBeacon && isOverdue(roundTime, this.now)) {
      this.found.throwAt = roundTime;
      throw new Refused('withheld', 'round ' + this.rules.rounds[0]);
    }
  }

  async full() {
    await this.files.finish();
    await this.bundle();
    await this.houseLog();
    await this.rulesProof(this.leaves('rules')[0].hash);
    const seals = this.leaves('seal');
    if (seals.length) {
      if (seals.length > 1 || seals[0].at < this.leaves('rules')[0].at) throw new Refused('second_seal');
      await this.sealed(seals[0]);
      await this.entries();
      await this.receiptHolds((i) => hashAt(this.hashes, i), (m, root) => equal(prefixRoot(this.levels, m), root), this.hashes);
      this.exclusions();
      if (await this.beacon()) {
        await this.result();
        await this.report();
      }
    } else this.unsealed();
    this.stillToCome();
  }

  async optional(name) {
    try {
      return await this.files.read(this.folder + name);
    } catch (e) {
      if (e instanceof Refused && e.code === 'missing_file') return null;
      throw e;
    }
  }

  async bundle() {
    const [draw, key] = ((bytes) => step('malformed_bundle', () => {
      const [title, drawLine, logLine, end, ...more] = textOf(bytes).split('\n');
      const right = title === 'fairgate-bundle/1' && drawLine?.startsWith('draw ') && logLine?.startsWith('log ');
      if (!right || end !== '' || more.length) throw new Malformed('bundle');
      const log = parseKey(logLine.slice(4), 1);
      if (!/^.+\/log$/.test(log.name)) throw new Malformed('bundle');
      return [parseDrawId(drawLine.slice(5)), log];
    }))(await this.files.bundle());
    this.draw = this.found.draw = draw;
    this.logKey = key;
    this.folder = 'draws/' + draw + '/';
    this.entriesKey = keyOf(key.name.slice(0, -3) + 'draws/' + draw, 1, key.publicKey);
    this.rulesBytes = await this.files.read(this.folder + 'rules.json');
    this.rulesNote = await this.files.read(this.folder + 'rules.tlog-proof');
    const rules = (this.rules = step('malformed_rules', () => parseRules(this.rulesBytes, key)));
    if (rules.draw !== draw) throw new Refused('malformed_rules', rules.draw);
    this.chain = await this.readChain(rules.chain, 'chain.json');
    this.accept(this.chain);
    if (rules.sealBy >= timeOf(this.chain, rules.rounds[0])) throw new Refused('malformed_rules', 'seal_by');
    if (rules.second) {
      this.secondChain = await this.readChain(rules.second.chain, 'second-chain.json');
      const isEarly = timeOf(this.secondChain, rules.second.round) < timeOf(this.chain, rules.rounds[0]);
      if (isEarly) throw new Refused('malformed_rules', 'second_beacon');
    }
    if (!rules.quorum) this.found.warnings.push('no_witness');
    const { title, stock, holdbacks, close, sealBy } = { ...rules, title: rules.value.title };
    const text = typeof title === 'string' ? title : (title?.en ?? '');
    Object.assign(this.found, { log: key.name, rules: hex(rules.hash), title: String(text), stock, holdbacks, close, sealBy });
  }

  async readChain(wanted, name) {
    if (wanted === QUICKNET.hash) return QUICKNET;
    const bytes = await this.files.read(this.folder + name);
    const chain = step('malformed_chain', () => parseChain(bytes));
    if (chain.hash !== wanted) throw new Refused('malformed_chain', chain.hash);
    return chain;
  }

  /** Refuses a chain that the caller has not named; quicknet needs no name. */
  accept(chain) {
    this.found.chain = chain === QUICKNET ? undefined : chain.hash;
    if (chain !== QUICKNET && !this.chains.includes(chain.hash)) throw new Refused('unknown_beacon', chain.hash);
  }

  async houseLog() {
    const bytes = await this.files.read('log/checkpoint');
    const { size, root, times } = openCheckpoint(bytes, this.logKey, this.rules.witnesses);
    const data = [];
    await readEntries(this.files, 'log', size, this.progress, (from, start, end) => data.push(from.slice(start, end)));
    const hashes = new Int32Array(8 * size);
    data.forEach((leaf, i) => leafHashInto(leaf, 0, leaf.length, hashes, 8 * i));
    this.log = { size, times, levels: levelsOf(hashes) };
    if (!equal(prefixRoot(this.log.levels, size), root)) throw new Refused('forked_log', 'root');
    const leaves = step('malformed_leaf', () => data.map(parseLeaf));
    this.logLeaves = leaves.filter((leaf) => leaf.draw === this.draw);
    this.found.logSize = size;
    const rules = this.leaves('rules');
    if (rules.length !== 1 || !equal(rules[0].bytes, concat(utf8('fairgate-rules/1\n'), this.rulesBytes))) {
      throw new Refused('edited_rules', rules.length + ' rules leaves');
    }
    const { product } = this.rules.value;
    const earlier = leaves.filter((leaf) => leaf.at < rules[0].at && leaf.product === product && typeof product === 'string');
    if (earlier.length) {
      this.found.warnings.push('earlier_draw');
      this.found.earlier = earlier.map((leaf) => leaf.draw);
    }
  }

  leaves(kind) {
    return this.logLeaves.filter((leaf) => leaf.kind === kind);
  }

  /** The cosignature times of the checkpoint to which this proof leads. */
  proven(bytes, leaf) {
    const { index, hashes, checkpoint } = step('malformed_proof', () => parseProof(bytes));
    const { size, root, times } = openCheckpoint(checkpoint, this.logKey, this.rules.witnesses);
    if (!inclusionHolds(index, size, leaf, hashes, root)) throw new Refused('bad_proof');
    if (this.log && (size > this.log.size || !equal(prefixRoot(this.log.levels, size), root))) throw new Refused('forked_log', 'proof');
    if (!quorum(times, this.rules.quorum, () => true)) throw new Refused('no_quorum', times.size + ' of ' + this.rules.quorum);
    return times;
  }

  async rulesProof(leaf) {
    const times = this.proven(this.rulesNote, leaf);
    const { open } = this.rules;
    if (open !== null && !quorum(times, this.rules.quorum, (t) => t <= open)) throw new Refused('late_rules');
    this.found.published = true;
  }

  async sealed(leaf) {
    if (leaf.kind !== 'seal' || leaf.draw !== this.draw) throw new Refused('malformed_leaf', 'seal');
    const { rules, chain, rounds } = { ...this.rules, rules: this.rules.hash };
    if (!equal(leaf.values.rules, rules)) throw new Refused('edited_rules', 'seal');
    if (leaf.values.beacon[0] !== chain || leaf.values.beacon[1] !== rounds[0]) throw new Refused('wrong_round', 'seal');
    if (!equal(await this.files.read(this.folder + 'seal'), leaf.bytes)) throw new Refused('bad_proof', 'seal');
    const times = this.proven(await this.files.read(this.folder + 'seal.tlog-proof'), leaf.hash);
    const limit = timeOf(this.chain, rounds[0]) - SEAL_MARGIN_SECONDS;
    if (!quorum(times, this.rules.quorum, (t) => t <= limit)) throw new Refused('late_seal', 'limit ' + limit);
    this.seal = leaf;
    const names = new Map(this.rules.witnesses.map((witness) => [witness.id, witness.name]));
    Object.assign(this.found, {
      stage: 'sealed', size: leaf.values.size, root: hex(leaf.values.root), seal: hex(leaf.hash), throwAt: timeOf(this.chain, rounds[0]),
      witnesses: [...times].map(([id, seen]) => ({ name: names.get(id), time: Math.min(...seen) })), quorum: this.rules.quorum,
    });
  }

  async entries() {
    const sealed = this.seal.values;
    const { size, root } = openCheckpoint(await this.files.read(this.folder + 'log/checkpoint'), this.entriesKey);
    if (size > sealed.size) throw new Refused('entry_after_seal', size + ' entries, ' + sealed.size + ' sealed');
    if (size < sealed.size || !equal(root, sealed.root)) throw new Refused('forked_list', 'checkpoint');
    checkSize(size);
    this.hashes = new Int32Array(8 * size);
    this.quantities = new Float64Array(size);
    this.tiers = new Float64Array(size);
    this.people = new Array(size).fill(null);
    // The first problem in an entry waits until the list itself is checked.
    let problem = null;
    await readEntries(this.files, this.folder + 'log', size, this.progress, (bytes, start, end, index) => {
      leafHashInto(bytes, start, end, this.hashes, 8 * index);
      try {
        if (!problem) this.entry(bytes.subarray(start, end), index);
      } catch (e) {
        problem = e;
      }
    });
    this.levels = levelsOf(this.hashes);
    if (!equal(prefixRoot(this.levels, size), root)) throw new Refused('forked_list', 'root');
    let before = 0;
    for (const head of this.leaves('head').filter((leaf) => leaf.at < this.seal.at)) {
      const now = head.values.size;
      if (now < before || now > size || !equal(prefixRoot(this.levels, now), head.values.root)) {
        throw new Refused('forked_list', 'head ' + head.at);
      }
      before = now;
    }
    if (problem) throw problem;
  }

  entry(bytes, index) {
    const entry = step('malformed_leaf', () => parseEntry(bytes));
    if (entry.draw !== this.draw || entry.qty > this.rules.qtyMax || entry.tier >= this.rules.tiers) {
      throw new Refused('invalid_entry', String(index));
    }
    this.quantities[index] = entry.qty;
    this.tiers[index] = entry.tier;
    this.people[index] = entry.uniq;
  }

  /** `all` has the hashes of all entries; null in the light check. */
  async receiptHolds(leafAt, prefixIs, all) {
    if (!this.receipt) return;
    if (this.isPromise()) {
      this.promiseHolds(all);
      return;
    }
    const { index, hashes, size, root } = this.signedReceipt();
    const sealed = this.seal.values.size;
    if (size > sealed) throw new Refused('dropped_entry', size + ' entries promised, ' + sealed + ' sealed');
    const leaf = await leafAt(index);
    const isPrefix = await prefixIs(size, root);
    // A path that does not lead to the root proves nothing while the sealed list has that root: the receipt is damaged.
    if (!inclusionHolds(index, size, leaf, hashes, root)) throw new Refused(isPrefix ? UNUSABLE : 'dropped_entry', 'index ' + index);
    if (!isPrefix) throw new Refused('forked_list', 'receipt');
    this.mine = leaf;
    Object.assign(this.found, { index, mine: hex(leaf), steps: hashes.length });
  }

  isPromise() {
    return textStart(this.receipt) === 'fairgate-promise/1\n';
  }

  /** Before the seal there is no list to look into: known is only whose signature the receipt has, and from the log whether its entry takes no part. */
  unsealed() {
    if (!this.receipt) return;
    let isMine;
    if (this.isPromise()) {
      const promise = this.signedPromise();
      isMine = (_, leaf) => equal(leaf, promise);
    } else {
      const { index: own, hashes, size, root } = this.signedReceipt();
      isMine = (index, leaf) => index === own && inclusionHolds(index, size, leaf, hashes, root);
    }
    if (this.log) this.absence(isMine);
    this.found.warnings.push('unsealed');
  }

  /** Whether my entry takes no part. */
  absence(isMine) {
    const leaf = Object.keys(ABSENCES).flatMap((kind) => this.leaves(kind)).find(({ values }) => isMine(...values.entry));
    if (leaf) this.found.absent = { kind: ABSENCES[leaf.kind], reason: leaf.values.reason };
  }

  /** Index, proof, and size and root of the signed tree of a receipt of this draw. */
  signedReceipt() {
    this.isSmall();
    const { index, hashes, checkpoint } = step(UNUSABLE, () => parseProof(this.receipt));
    const { origin, size, root } = headOf(checkpoint, UNUSABLE);
    this.isOfThisDraw([origin]);
    openNote(checkpoint, this.entriesKey, [], UNUSABLE);
    if (index >= size) throw new Refused(UNUSABLE, 'index');
    return { index, hashes, size, root };
  }

  /** The leaf hash of a signed promise of this draw. A promise has no origin line: its key has the name. */
  signedPromise() {
    this.isSmall();
    this.isOfThisDraw(keyNames(this.receipt, UNUSABLE));
    const { text } = openNote(this.receipt, this.entriesKey, [], UNUSABLE);
    const promise = step(UNUSABLE, () => parsePromise(text));
    if (promise.draw !== this.draw) throw new Refused(UNUSABLE, promise.draw);
    return promise.leaf;
  }

  isSmall() {
    if (this.receipt.length > MAX_RECEIPT) throw new Refused(UNUSABLE, 'size');
  }

  isOfThisDraw(origins) {
    const { name } = this.entriesKey;
    if (!origins.includes(name)) throw new Refused('receipt_of_another_draw', origins[0] + ', not ' + name);
  }

  promiseHolds(all) {
    const leaf = this.signedPromise();
    this.mine = leaf;
    if (!all) {
      this.found.warnings.push('promise');
      return;
    }
    const wanted = new Int32Array(8);
    setHash(wanted, 0, leaf);
    for (let at = 0; at < all.length; at += 8) {
      if (all[at] === wanted[0] && equal(hashAt(all, at / 8), leaf)) {
        Object.assign(this.found, { index: at / 8, mine: hex(leaf), steps: 0 });
        return;
      }
    }
    throw new Refused('dropped_entry', 'promise');
  }

  exclusions() {
    this.gone = { exclude: new Set(), withdraw: new Set() };
    const excluded = [];
    const gone = this.logLeaves.filter(({ kind }) => Object.hasOwn(this.gone, kind));
    for (const leaf of gone) {
      const [index, hash] = leaf.values.entry;
      const known = index < this.people.length && equal(hashAt(this.hashes, index), hash);
      if (!known || this.isGone(index)) throw new Refused('invalid_exclusion', 'leaf ' + leaf.at);
      this.gone[leaf.kind].add(index);
      if (leaf.kind === 'exclude') excluded.push(leaf.hash);
    }
    const late = gone.find(({ at }) => at > this.seal.at);
    if (late) throw new Refused('late_exclusion', 'leaf ' + late.at);
    this.absence((index) => index === this.found.index);
    const [count, root] = this.seal.values.excluded ?? [0, treeRoot([])];
    const absent = this.seal.values.excluded === null;
    if (count !== excluded.length || !equal(root, treeRoot(excluded)) || absent !== (excluded.length === 0)) {
      throw new Refused('hidden_exclusion', excluded.length + ' exclude leaves');
    }
    Object.assign(this.found, { excluded: excluded.length, withdrawn: this.gone.withdraw.size });
    const seen = new Set();
    this.people.forEach((person, index) => {
      if (person === null || this.isGone(index)) return;
      if (seen.has(person)) throw new Refused('duplicate_person', String(index));
      seen.add(person);
    });
  }

  isGone(index) {
    return this.gone.exclude.has(index) || this.gone.withdraw.has(index);
  }

  async beacon() {
    const [leaf, ...more] = this.leaves('beacon');
    if (!leaf) return false;
    if (more.length || leaf.at < this.seal.at) throw new Refused('second_beacon');
    if (!equal(await this.files.read(this.folder + 'beacon'), leaf.bytes)) throw new Refused('wrong_beacon');
    this.dice(leaf, new Set(this.leaves('abort').filter(({ at }) => at < leaf.at).map(({ values }) => values.round)));
    return true;
  }

  /** `givenUp` has the rounds with an abort leaf; null without the log. */
  dice(leaf, givenUp) {
    if (leaf.kind !== 'beacon' || leaf.draw !== this.draw) throw new Refused('malformed_leaf', 'beacon');
    const [chain, round] = leaf.values.beacon;
    const { rounds, second } = this.rules;
    const isSecond = second !== null && chain === second.chain && round === second.round;
    if (!isSecond && (chain !== this.rules.chain || !rounds.includes(round))) throw new Refused('wrong_round', String(round));
    const earlier = isSecond ? rounds : rounds.slice(0, rounds.indexOf(round));
    const deciding = isSecond ? this.secondChain : this.chain;
    if (givenUp && !earlier.every((other) => givenUp.has(other))) throw new Refused('wrong_round', 'no abort leaf');
    this.accept(deciding);
    if (earlier.length) this.found.warnings.push(isSecond ? 'second' : 'fallback');
    this.progress('dice', 0, 1);
    const { signature } = leaf.values;
    if (!blsHolds(deciding.publicKey, sha256(u64(round)), signature)) throw new Refused('forged_beacon', 'round ' + round);
    this.drawn = leaf;
    this.seed = seedOf(this.seal.hash, signature);
    Object.assign(this.found, {
      stage: 'drawn', round, thrownAt: timeOf(deciding, round), signature: hex(signature), seed: hex(this.seed), beacon: chain,
    });
    if (this.mine) this.found.lot = hex(lotOf(this.seed, this.mine));
  }

  async result() {
    const size = this.people.length;
    const published = await this.files.read(this.folder + 'result');
    if (published.length % 72) throw new Refused('malformed_result', 'length');
    const lots = lotsOf(this.seed, this.hashes, this.progress);
    this.progress('sort', 0, 1);
    this.order = orderOf(lots, this.hashes, this.tiers);
    const { rows, hashes } = resultOf(this.order, lots, this.hashes, this.progress);
    this.compare(published, rows);
    this.progress('sort', 1, 1);
    const root = prefixRoot(levelsOf(hashes), size);
    const [leaf, ...more] = this.leaves('result');
    if (more.length || (leaf && leaf.at < this.drawn.at)) throw new Refused('second_result');
    const values = leaf?.values;
    const right = leaf && equal(values.seal, this.seal.hash) && String(values.beacon) === String(this.drawn.values.beacon)
      && values.size === size && equal(values.root, root);
    if (!right) throw new Refused('wrong_result_root', hex(root));
    this.resultLeaf = leaf;
    this.found.resultRoot = hex(root);
    if (this.mine) this.found.rank = this.order.indexOf(this.found.index);
  }

  /** Compares the published result with the computed rows. */
  compare(published, rows) {
    const view = new DataView(published.buffer, published.byteOffset, published.length);
    let same = published.length === 4 * rows.length;
    for (let i = 0; same && i < rows.length; i++) same = view.getInt32(4 * i) === rows[i];
    if (same) return;
    const name = (bytes) => String.fromCharCode(...bytes);
    const known = new Set(this.people.map((_, i) => name(hashAt(this.hashes, i))));
    for (let at = 0; at < published.length; at += 72) {
      if (!known.has(name(published.subarray(at + 40, at + 72)))) throw new Refused('entry_after_seal', 'result');
    }
    throw new Refused('swapped_lots');
  }

  async report() {
    const [leaf, ...more] = this.leaves('report');
    if (!leaf) return;
    if (more.length || leaf.at < this.resultLeaf.at) throw new Refused('second_report');
    const report = leaf.values;
    const bytes = await this.files.read(this.folder + 'allotments');
    const lines = step('malformed_allotments', () => parseAllotments(bytes));
    const root = treeRoot(lines.map(({ hash }) => hash));
    if (report.allotments[0] !== lines.length || !equal(report.allotments[1], root) || !equal(report.result, this.resultLeaf.hash)) {
      throw new Refused('wrong_report', 'allotments');
    }
    if (lines.some(({ rank }, i) => rank !== i || i >= this.order.length)) throw new Refused('skipped_rank', 'ranks');
    const { stock, holdbacks } = this.rules;
    const toSell = stock - holdbacks;
    const issued = this.ranks(lines, toSell);
    if (report.stock !== stock || report.holdbacks !== holdbacks) throw new Refused('stock_short', 'stock of the report');
    const bought = lines.reduce((sum, line) => sum + line.bought, 0);
    if (bought > toSell) throw new Refused('oversold', bought + ' of ' + toSell);
    const [passed, unsold] = [bought - issued, toSell - bought];
    if (report.issued !== issued || report.passed !== passed || report.unsold !== unsold) {
      throw new Refused('stock_short', 'issued ' + issued + ', passed ' + passed + ', unsold ' + unsold);
    }
    if (unsold && lines.length < this.order.length && !this.mayStop(lines.length, unsold)) {
      throw new Refused('stock_short', unsold + ' units unsold');
    }
    Object.assign(this.found, { stage: 'ended', issued, passed, unsold });
  }

  mayStop(reached, unsold) {
    const { until, quorum: needed, fit } = this.rules;
    if (until !== null && quorum(this.log.times, needed, (t) => t >= until)) return true;
    const next = this.order.subarray(reached).find((index) => !this.isGone(index));
    return fit === 'stop' && next !== undefined && this.quantities[next] > unsold;
  }

  /** Checks the allotments rank by rank; returns the units that were sold to the first to whom they were offered. */
  ranks(lines, toSell) {
    const passes = new Map();
    for (const { values } of this.leaves('pass')) passes.set(values.rank, [...(passes.get(values.rank) ?? []), values]);
    let offered = 0;
    let issued = 0;
    for (const { rank, status, bought, passed } of lines) {
      const index = this.order[rank];
      const quantity = this.quantities[index];
      const kind = { withdrawn: 'withdraw', excluded: 'exclude' }[status];
      const where = 'rank ' + rank;
      if (kind && !this.gone[kind].has(index)) throw new Refused('hidden_exclusion', where);
      if (!kind && this.isGone(index)) throw new Refused('excluded_offered', where);
      if (bought + passed !== (status === 'offered' ? quantity : 0)) throw new Refused('wrong_report', where);
      if (passed) {
        const [pass, ...more] = passes.get(rank) ?? [];
        const right = pass && !more.length && equal(pass.entry, hashAt(this.hashes, index)) && pass.units === passed;
        if (!right) throw new Refused('skipped_rank', where);
        passes.delete(rank);
      }
      if (status === 'unfit' && !(this.rules.fit === 'skip' && offered + quantity > toSell)) throw new Refused('skipped_rank', where);
      if (offered + quantity <= toSell) issued += bought;
      offered += bought + passed;
    }
    if (passes.size) throw new Refused('skipped_rank', 'pass of rank ' + Math.min(...passes.keys()));
    return issued;
  }
}

const textStart = (bytes) => String.fromCharCode(...bytes.subarray(0, 19));
