// The texts of a draw, line by line: rules, chain, entries, and leaves of the house log.
import { hex, Malformed, textOf, u64, unbase64, unhex, utf8, wholeNumber } from './bytes.js';
import { sha256 } from './hash.js';
import { parseKey } from './note.js';
import { leafHash } from './tree.js';

const CLASSES = ['acct', 'eid', 'paid', 'passkey', 'pat', 'phone', 'prior'];

/** Tickets of the largest draw of a room, and the largest audit sample. */
const MAX_INT = 2 ** 31 - 1;

const matching = (pattern) => (text) => {
  if (!pattern.test(text)) throw new Malformed('word');
  return text;
};

const KINDS = {
  id: matching(/^[a-z0-9][a-z0-9-]{0,39}$/),
  word: matching(/^[a-z][a-z0-9_]{0,31}$/),
  chain: matching(/^[0-9a-f]{64}$/),
  number: wholeNumber,
  positive(text) {
    const number = wholeNumber(text);
    if (number < 1) throw new Malformed('number');
    return number;
  },
  tickets(text) {
    const number = KINDS.positive(text);
    if (number > MAX_INT) throw new Malformed('tickets');
    return number;
  },
  hash: (text) => unbase64(text, 32),
  signature: (text) => unbase64(text, 48),
  order: matching(/^swap-or-not-90\/1$/),
  tag: (text) => (unbase64(text, 16), text),
  classes(text) {
    const names = text.split(',');
    const sorted = names.every((name, i) => CLASSES.includes(name) && (i === 0 || names[i - 1] < name));
    if (text !== 'none' && !sorted) throw new Malformed('class');
    return text;
  },
};

/** Lines behind the first one: a name and the kinds of its values. A line with a question mark may be absent. */
const form = (...lines) => lines.map((line) => {
  const [name, ...kinds] = line.replace('?', '').split(' ');
  return { name, kinds: kinds.map((kind) => KINDS[kind]), optional: line[0] === '?' };
});

const ENTRY = form('draw id', 'who hash', 'key hash', 'class classes', '?uniq tag', '?qty number', '?tier number');
const PROMISE = form('draw id', 'leaf hash', 'by number');
const LEAVES = {
  head: form('draw id', 'size number', 'root hash'),
  seal: form('draw id', 'rules hash', 'size number', 'root hash', 'beacon chain positive', '?excluded positive hash'),
  beacon: form('draw id', 'beacon chain positive', 'signature signature'),
  exclude: form('draw id', 'entry number hash', 'reason word'),
  withdraw: form('draw id', 'entry number hash', 'reason word'),
  result: form('draw id', 'seal hash', 'beacon chain positive', 'size number', 'root hash'),
  pass: form('draw id', 'rank number', 'entry hash', 'units number', 'reason word'),
  abort: form('draw id', '?round number', 'reason word'),
  report: form('draw id', 'result hash', 'stock number', 'holdbacks number', 'issued number', 'passed number',
    'unsold number', 'allotments number hash'),
};

const ROOM_LEAVES = {
  seal: form('room id', 'epoch number', 'tickets tickets', 'order order', 'beacon chain positive'),
  result: form('room id', 'epoch number', 'seal hash', 'beacon chain positive', 'signature signature', 'seed hash'),
};

/** The values by name: one, an array where a line has two, or null where it is absent. */
function parseLines(title, lines, text) {
  const rows = text.split('\n');
  if (rows.pop() !== '' || rows.shift() !== title) throw new Malformed(title);
  const values = {};
  let at = 0;
  for (const { name, kinds, optional } of lines) {
    const words = at < rows.length ? rows[at].split(' ') : [];
    if (words[0] === name && words.length === kinds.length + 1) {
      const found = kinds.map((kind, i) => kind(words[i + 1]));
      values[name] = found.length === 1 ? found[0] : found;
      at++;
    } else if (optional) values[name] = null;
    else throw new Malformed(name);
  }
  if (at !== rows.length) throw new Malformed(title);
  return values;
}

export function parseEntry(bytes) {
  const values = parseLines('fairgate-entry/1', ENTRY, textOf(bytes));
  if ((values.qty !== null && values.qty < 2) || values.tier === 0) throw new Malformed('entry');
  return { ...values, qty: values.qty ?? 1, tier: values.tier ?? 0 };
}

export const parsePromise = (text) => parseLines('fairgate-promise/1', PROMISE, text);
export const parseDrawId = KINDS.id;

/** A leaf of the house log; its kind is empty when it does not belong to a draw. */
export function parseLeaf(bytes, at) {
  const end = bytes.indexOf(10);
  const first = Array.from(bytes.subarray(0, end < 0 ? bytes.length : Math.min(end, 64)), (b) => String.fromCharCode(b)).join('');
  const kind = /^fairgate-([a-z]+)\/1\r?$/.exec(first)?.[1] ?? '';
  const leaf = { at, bytes, kind, draw: '', hash: leafHash(bytes) };
  if (kind === 'rules') {
    const { draw, value } = parseRules(bytes.subarray(matching(/1$/)(first).length + 1));
    Object.assign(leaf, { draw, product: value.product });
  } else if (Object.hasOwn(LEAVES, kind)) {
    leaf.values = parseLines(first, LEAVES[kind], textOf(bytes));
    leaf.draw = leaf.values.draw;
  } else leaf.kind = '';
  return leaf;
}

const roomKind = (bytes) => /^fairgate-room-(seal|result)\/1/.exec(String.fromCharCode(...bytes.subarray(0, 24)))?.[1];

export const isRoomLeaf = (bytes) => roomKind(bytes) !== undefined;

/** A leaf about the draw of a waiting room. */
export function parseRoomLeaf(bytes, at) {
  const kind = roomKind(bytes);
  const text = textOf(bytes);
  const [, lines, named] = (kind === 'seal' && /^([^]*\n)witnesses ([^\n]*)\n$/.exec(text)) || [null, text, '0'];
  const [needed, ...keys] = named.split(' ');
  const witnesses = keys.map((key) => parseKey(key, 4));
  const quorum = wholeNumber(needed);
  if (quorum > keys.length || new Set(keys).size < keys.length || (quorum === 0) !== (lines === text) || keys.length > 32) throw new Malformed('witnesses');
  return { at, kind, quorum, witnesses, hash: leafHash(bytes), values: parseLines('fairgate-room-' + kind + '/1', ROOM_LEAVES[kind], lines) };
}

/** Refuses a name that an object has twice, of which JSON.parse keeps the last one, and too many levels. The text is well-formed JSON: a string before a colon is a name. */
function checkNames(text) {
  const open = [];
  for (const [token, colon] of text.matchAll(/"(?:[^"\\]+|\\.)*"(\s*:)?|[[\]{}]/g)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (colon) {
      const name = JSON.parse(token.slice(0, -colon.length));
      if (open.at(-1).has(name)) throw new Malformed('repeated name in JSON');
      open.at(-1).add(name);
    }
    if (open.length > 32) throw new Malformed('levels in JSON');
  }
}

const isBadText = (value) => typeof value === 'string' && /[\0\p{Surrogate}]/u.test(value);

/** A JSON object; numbers beyond those that a double counts with are refused, whatever they are for. */
export function parseJson(bytes) {
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Malformed('utf-8');
  }
  const value = JSON.parse(text, (name, item) => {
    if (isBadText(name) || isBadText(item)) throw new Malformed('text in JSON');
    if (typeof item === 'number' && !(Math.abs(item) <= Number.MAX_SAFE_INTEGER)) throw new Malformed('number in JSON');
    return item;
  });
  if (!isObject(value)) throw new Malformed('JSON object');
  checkNames(text);
  return value;
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isNumber = (value, least = 0) => Number.isSafeInteger(value) && value >= least;

/** RFC 8785 for values whose numbers are whole and not negative. */
function canonical(value) {
  if (Array.isArray(value)) return '[' + value.map(canonical).join() + ']';
  if (isObject(value)) return '{' + Object.keys(value).sort().map((key) => canonical(key) + ':' + canonical(value[key])).join() + '}';
  if (typeof value === 'number' && !isNumber(value)) throw new Malformed('number in JSON');
  return JSON.stringify(value);
}

export function parseRules(bytes, logKey = null) {
  const value = parseJson(bytes);
  const bad = (name) => {
    throw new Malformed(name);
  };
  const number = (name, least, otherwise) => {
    const found = Object.hasOwn(value, name) ? value[name] : otherwise;
    return isNumber(found, least) ? found : bad(name);
  };
  const list = (name, fits, most) => {
    const found = Object.hasOwn(value, name) ? value[name] : [];
    return Array.isArray(found) && found.length <= most && found.every(fits) ? found : bad(name);
  };
  if (bytes.length > 60_000 || canonical(value) !== textWithoutChecks(bytes)) bad('not canonical');
  const rounds = [number('round', 1), ...list('fallback_rounds', (n) => isNumber(n), 100)];
  if (value.order !== 'lots/1' || rounds.some((round, i) => i && round <= rounds[i - 1])) bad('order or rounds');
  const second = Object.hasOwn(value, 'second_beacon') ? secondBeacon(value.second_beacon, value.beacon) : null;
  const witnesses = list('witnesses', (key) => typeof key === 'string', 32).map((key) => parseKey(key, 4));
  const keys = [...witnesses, ...(logKey ? [logKey] : [])];
  if (new Set(keys.map((key) => hex(key.publicKey))).size !== keys.length) bad('witnesses');
  const held = Object.hasOwn(value, 'holdbacks') ? value.holdbacks : {};
  if (!isObject(held) || !Object.values(held).every((n) => isNumber(n))) bad('holdbacks');
  const audit = { auditor: '', ...(isObject(value.audit) ? value.audit : { k: Object.hasOwn(value, 'audit') ? value.audit : 0 }) };
  if (typeof audit.auditor !== 'string' || !isNumber(audit.k) || audit.k > MAX_INT) bad('audit');
  const rules = {
    value, rounds, second, witnesses,
    hash: sha256(utf8('fairgate-rules/1\n'), bytes),
    draw: KINDS.id(typeof value.draw === 'string' ? value.draw : ''),
    stock: number('stock', 0),
    holdbacks: Object.values(held).reduce((a, b) => a + b, 0),
    open: Object.hasOwn(value, 'open') ? number('open', 0) : null,
    close: number('close', 0),
    sealBy: number('seal_by', 0),
    chain: KINDS.chain(typeof value.beacon === 'string' ? value.beacon : ''),
    quorum: number('quorum', 0, 0),
    qtyMax: number('qty_max', 1, 1),
    tiers: number('tiers', 1, 1),
    fit: Object.hasOwn(value, 'fit') ? value.fit : 'stop',
    until: Object.hasOwn(value, 'allocate_until') ? number('allocate_until', 0) : null,
  };
  if (rules.quorum > witnesses.length) bad('quorum');
  if (!['stop', 'skip'].includes(rules.fit) || rules.tiers > 1000 || rules.holdbacks > rules.stock) bad('tiers, fit or holdbacks');
  if ((rules.open !== null && rules.open >= rules.close) || rules.close > rules.sealBy) bad('times');
  return rules;
}

/** The chain and the round that decide when the rounds of the first chain are given up. */
function secondBeacon(value, first) {
  const fits = isObject(value) && Object.keys(value).length === 2 && typeof value.beacon === 'string' && isNumber(value.round, 1);
  if (!fits || value.beacon === first) throw new Malformed('second_beacon');
  return { chain: KINDS.chain(value.beacon), round: value.round };
}

const textWithoutChecks = (bytes) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

export function parseChain(bytes) {
  const value = parseJson(bytes);
  const beaconId = isObject(value.metadata) && Object.hasOwn(value.metadata, 'beaconID') ? value.metadata.beaconID : '';
  const texts = [value.public_key, value.hash, value.groupHash, beaconId];
  if (!texts.every((text) => typeof text === 'string')) throw new Malformed('chain');
  if (!isNumber(value.period, 1) || value.period > 86_400 || !isNumber(value.genesis_time, 1)) throw new Malformed('chain');
  const publicKey = unhex(value.public_key);
  const named = utf8(beaconId === 'default' ? '' : beaconId);
  const hash = sha256(u64(value.period).subarray(4), u64(value.genesis_time), publicKey, unhex(value.groupHash), named);
  if (value.schemeID !== 'bls-unchained-g1-rfc9380' || publicKey.length !== 96 || hex(hash) !== value.hash) {
    throw new Malformed('hash of the chain');
  }
  return { hash: value.hash, publicKey, genesis: value.genesis_time, period: value.period };
}

/** The lines of the list of allotted units. */
export function parseAllotments(bytes) {
  const lines = textOf(bytes).split('\n');
  if (lines.pop() !== '') throw new Malformed('allotments');
  return lines.map((line) => {
    const [rank, status, bought, passed, ...more] = line.split(' ');
    if (more.length || passed === undefined || !['offered', 'withdrawn', 'excluded', 'unfit'].includes(status)) {
      throw new Malformed('allotments');
    }
    return {
      rank: wholeNumber(rank), status, bought: wholeNumber(bought), passed: wholeNumber(passed),
      hash: leafHash(utf8(line + '\n')),
    };
  });
}
