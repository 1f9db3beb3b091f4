// The page: takes the record and the receipt, runs the checks and tells their results in words.
import { MAX_RECEIPT } from './check.js';
import { answer, checker } from './worker.js';

// Filled in by the build: the texts in all languages.
const WORDS = /* words */ {};
const LANGUAGES = [['zh-Hant', '\u7e41', '\u7e41\u9ad4\u4e2d\u6587'], ['zh-Hans', '\u7b80', '\u7b80\u4f53\u4e2d\u6587'], ['en', 'EN', 'English']];
const TAR_MAGIC = 257;

let lang = 'en';
const state = { file: null, address: '', receipt: null, receiptName: '', chain: '', ticket: null, noTicket: '', isTicketOfDraw: false, light: null, full: null, busy: '', progress: null, run: 0 };

const t = (key, values = {}) => (WORDS[lang][key] ?? key).replace(/\{(\w+)\}(?=(\p{sc=Han}?))/gu, (whole, name, next) => {
  const value = String(values[name] ?? whole);
  return next && /\d$/.test(value) ? value + ' ' : value;
});
const number = (n) => new Intl.NumberFormat(lang).format(n);
const moment = (seconds) => new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'long' }).format(seconds * 1000);
const percent = (share) => new Intl.NumberFormat(lang, { style: 'percent', maximumFractionDigits: share < 0.1 ? 1 : 0 }).format(share);
const span = (seconds) => {
  const [value, unit] = seconds < 120 ? [seconds, 'second'] : seconds < 7200 ? [seconds / 60, 'minute'] : [seconds / 3600, 'hour'];
  return new Intl.NumberFormat(lang, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 0 }).format(Math.floor(value));
};

function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const UNREADABLE = ['missing_file', 'unreachable', 'unusable_receipt', 'receipt_of_another_draw', 'not_mine', 'ticket_not_in_draw', 'not_announced'];
const isUnreadable = (code) => code.startsWith('malformed_') || UNREADABLE.includes(code);

/** Good, bad or open for the three questions, from what the checks found. */
function statesOf({ light, full, busy }) {
  const found = full ?? light;
  if (!found) return { mine: 'idle', dice: 'idle', all: 'idle' };
  const wrong = found.code === 'ok' ? null : isUnreadable(found.code) ? 'unread' : 'bad';
  const sealed = found.seal !== undefined;
  const receipt = state.receipt === null ? sealed : found.mine !== undefined;
  const dice = found.seed !== undefined;
  const order = found.resultRoot !== undefined;
  // These failures are of the dice. They say nothing about a list that was not looked at, or is not sealed.
  const isOfDice = found.code === 'unknown_beacon' || found.code === 'withheld';
  const mine = receipt ? 'good' : isOfDice ? 'open' : wrong ?? 'open';
  return {
    mine,
    dice: dice ? 'good' : isOfDice || (mine === 'good' && !full && wrong) ? wrong : 'open',
    all: busy === 'full' ? 'busy' : !full ? 'idle' : wrong && mine === 'good' ? wrong : order || !wrong ? (wrong ?? 'good') : 'open',
  };
}

const line = (text) => h('p', {}, text);
/** When dice that are still to come are due, or were. */
const due = (time) => line(t(1000 * time > Date.now() ? 'verify.dice.later' : 'verify.dice.late', { time: moment(time) }));
const facts = (...rows) => h('details', {},
  h('summary', {}, t('verify.evidence')),
  h('dl', {}, rows.filter((row) => row && row[1] !== undefined).map(([name, ...values]) => h('div', {},
    h('dt', {}, name), values.map((value) => h('dd', {}, h('code', {}, String(value))))))));

function card(id, state, title, ...body) {
  return h('section', { class: 'card step ' + state, id, 'aria-labelledby': id + '-title', 'data-state': state },
    h('h2', { id: id + '-title', tabindex: -1 }, h('span', { class: 'mark', 'aria-hidden': 'true' }, { good: '\u2713', bad: '\u2715', unread: '?' }[state] ?? ''),
      h('span', {}, title), h('span', { class: 'unseen' }, t('verify.state.' + state))), ...body);
}

function mineCard(found, state, receipt) {
  const { size, witnesses, throwAt } = found;
  const unproven = found.warnings.includes('no_witness') ? '.unproven' : '';
  const last = witnesses?.length ? Math.max(...witnesses.map(({ time }) => time)) : 0;
  return card('mine', state, t(receipt ? 'verify.mine.title' : 'verify.mine.title.list' + unproven),
    found.published && line(t('verify.mine.rules' + unproven)),
    size !== undefined && line(t('verify.mine.sealed' + unproven, { n: number(size), time: moment(throwAt) })),
    last > 0 && line(t('verify.mine.witnessed', { n: number(witnesses.length), before: span(throwAt - last) })),
    state === 'open' && found.code !== 'ok' && line(t('verify.stopped')),
    size === undefined && found.code === 'ok' && found.stage !== 'aborted' && line(t('verify.mine.open')),
    found.index !== undefined && line(t('verify.mine.entry', { i: number(found.index + 1), n: number(size) })),
    !receipt && line(t('verify.mine.none')),
    found.seal && facts([t('verify.fact.log'), found.log], [t('verify.fact.rules'), found.rules], [t('verify.fact.seal'), found.seal],
      [t('verify.fact.root'), found.root], [t('verify.fact.entry'), found.mine],
      [t('verify.fact.witnesses'), ...witnesses.map(({ name, time }) => name + ' \u00b7 ' + new Date(time * 1000).toISOString())]));
}

/** Where my lot lies between the lowest and the highest possible one. */
function scale(lot) {
  const share = parseInt(lot.slice(0, 12), 16) / 2 ** 48;
  const marker = h('div', { class: 'marker' });
  marker.style.left = 100 * share + '%';
  return [
    line(t('verify.dice.lot', { lot: lot.slice(0, 8) + '\u2026', share: percent(share) })),
    h('div', { class: 'scale', 'aria-hidden': 'true' }, marker),
    h('div', { class: 'ends', 'aria-hidden': 'true' }, h('span', {}, t('verify.dice.first')), h('span', {}, t('verify.dice.last'))),
  ];
}

function diceCard(found, state) {
  const known = found.seed !== undefined;
  return card('dice', state, t('verify.dice.title'),
    !known && state === 'open' && (found.code === 'ok' && found.stage !== 'aborted' && found.throwAt ? due(found.throwAt)
      : line(t(found.code !== 'ok' ? 'verify.stopped' : found.stage === 'aborted' ? 'verify.all.aborted' : 'verify.dice.open'))),
    known && line(t(found.chain ? 'verify.dice.chain' : 'verify.dice.public', { round: number(found.round), time: moment(found.thrownAt) })),
    known && line(t('verify.dice.signed')),
    found.lot && !found.absent && scale(found.lot),
    known && facts([t('verify.fact.chain'), found.beacon], [t('verify.fact.round'), found.round], [t('verify.fact.signature'), found.signature],
      [t('verify.fact.seed'), found.seed], [t('verify.fact.lot'), found.lot]));
}

/** The draw of a waiting room: its seal, the dice, and the order. */
function roomCards(found) {
  const { code, announced, tickets, throwAt, seed, place, witnesses = [] } = found;
  const isRight = code === 'ok' || code === 'ticket_not_in_draw';
  const wrong = isRight ? 'open' : isUnreadable(code) ? 'unread' : 'bad';
  // Unknown dice end the checks before the witnesses are looked at.
  const isUnknown = code === 'unknown_beacon';
  const last = Math.max(...witnesses.map(({ time }) => time));
  const title = 'verify.mine.title.list' + (found.warnings.includes('no_witness') ? '.unproven' : '');
  const sealed = found.cosigned ? 'good' : isUnknown ? 'open' : wrong;
  const dice = seed !== undefined ? 'good' : found.cosigned || isUnknown ? wrong : 'open';
  return [
    card('mine', sealed, t(title),
      isUnknown && line(t('verify.stopped')),
      state.receipt && line(t('verify.room.receipt')),
      state.noTicket && line(t('verify.room.noticket', { ticket: state.noTicket })),
      tickets !== undefined && line(t(witnesses.length ? 'verify.room.sealed' : 'verify.room.sealed.unproven', { n: number(tickets), time: moment(throwAt) })),
      witnesses.length > 0 && line(t('verify.mine.witnessed', { n: number(witnesses.length), before: span(throwAt - last) })),
      announced.length > 1 && line(t('verify.room.again', { n: number(announced.length), epochs: announced.join(', ') })),
      found.seal && facts([t('verify.fact.log'), found.log], [t('verify.fact.seal'), found.seal])),
    card('dice', dice, t('verify.dice.title'),
      dice === 'open' && !isRight && line(t('verify.stopped')),
      seed === undefined && isRight && due(throwAt),
      seed && line(t(found.chain ? 'verify.dice.chain' : 'verify.dice.public', { round: number(found.round), time: moment(throwAt) })),
      seed && line(t('verify.dice.signed')),
      seed && facts([t('verify.fact.chain'), found.beacon], [t('verify.fact.round'), found.round], [t('verify.fact.signature'), found.signature])),
    seed && card('all', isRight ? 'good' : wrong, t('verify.room.order'), isRight && line(t('verify.room.order.more')),
      place !== undefined && h('p', { class: 'rank' }, t('verify.room.place', { r: number(place + 1), n: number(tickets) })),
      facts([t('verify.fact.seed'), seed])),
  ];
}

function progressBar() {
  const { name, done, total } = state.progress ?? { name: 'start', done: 0, total: 0 };
  const share = total ? Math.floor(100 * done / total) : 0;
  const fill = h('div', { class: 'fill' });
  fill.style.width = share + '%';
  return [
    h('p', { id: 'phase' }, t('verify.phase.' + name) + (total > 1 ? ' ' + percent(share / 100) : '')),
    h('div', { class: 'bar', role: 'progressbar', 'aria-labelledby': 'phase', 'aria-valuenow': share, 'aria-valuemin': 0, 'aria-valuemax': 100 }, fill),
  ];
}

function allCard(found, cardState) {
  const { full, busy } = state;
  const size = found.size ?? 0;
  return card('all', cardState, t('verify.all.title'),
    line(t('verify.all.more')),
    cardState === 'open' && line(t('verify.stopped')),
    busy === 'full' && h('div', { id: 'progress' }, progressBar()),
    busy !== 'full' && !full && h('button', { class: 'button', type: 'button', id: 'everyone', onclick: () => check(false) },
      size ? t('verify.all.button', { n: number(size) }) : t('verify.all.button.plain')),
    full?.resultRoot && line(t('verify.all.order', { n: number(full.size) })),
    full?.rank !== undefined && !full.absent && h('p', { class: 'rank' }, t('verify.all.rank', { r: number(full.rank + 1), n: number(full.size) })),
    full?.resultRoot && full.size <= full.stock - full.holdbacks && line(t('verify.all.enough')),
    full?.excluded !== undefined && full.excluded + full.withdrawn > 0
      && line(t('verify.all.excluded', { x: number(full.excluded), w: number(full.withdrawn) })),
    full?.issued !== undefined && line(t('verify.all.report', { stock: number(full.stock), held: number(full.holdbacks),
      issued: number(full.issued), passed: number(full.passed), unsold: number(full.unsold) })),
    full?.stage === 'aborted' && line(t('verify.all.aborted')),
    full?.logSize && facts([t('verify.fact.leaves'), number(full.logSize)], [t('verify.fact.result'), full.resultRoot]));
}

function banner(found) {
  if (!found) return null;
  const { code, detail } = found;
  // Of input of another draw, the detail has what was given and what was wanted.
  const [given, wanted] = String(detail).split(', not ');
  const kind = code === 'ok' ? 'good' : isUnreadable(code) ? 'unread' : 'bad';
  const isLarge = code === 'unusable_receipt' && state.receipt?.byteLength > MAX_RECEIPT;
  const words = isLarge ? t('verify.receipt.large') : code === 'ok' ? t(found.room ? 'verify.room.ok' : state.full ? 'verify.ok.full' : 'verify.ok.light') : t('verify.code.' + code, { time: found.throwAt && moment(found.throwAt), given, wanted });
  return h('div', { class: 'banner ' + kind, role: kind === 'good' ? 'status' : 'alert', id: 'verdict', 'data-code': code, 'data-stage': found.stage },
    h('p', { class: 'big' }, t('verify.verdict.' + kind)), line(words),
    found.absent && line(t('verify.absent.' + found.absent.kind, { reason: found.absent.reason })),
    kind === 'bad' && line(t('verify.bad.keep')),
    code !== 'ok' && h('p', { class: 'soft' }, h('code', {}, code + (detail ? ': ' + detail : ''))),
    found.warnings.map((warning) => h('p', { class: 'soft' }, t('verify.warn.' + warning, { time: found.sealBy && moment(found.sealBy), draws: found.earlier?.join(', ') }))));
}

function chooser(id, title, more, accept) {
  return h('div', { class: 'choose' },
    h('p', { class: 'label', id: id + '-title' }, title), h('p', { class: 'soft', id: id + '-more' }, more),
    h('label', { class: 'file' },
      h('input', { type: 'file', id, accept, class: 'unseen', 'aria-labelledby': id + '-title', 'aria-describedby': id + '-more ' + id + '-name',
        onchange: ({ target }) => target.files[0] && takeFile(target.files[0], id) }),
      h('span', { class: 'button' }, t('verify.choose')), h('span', { class: 'chosen', id: id + '-name' })));
}

function inputs() {
  return h('section', { class: 'card inputs', 'aria-label': t('verify.inputs') },
    chooser('bundle', t('verify.bundle'), t('verify.bundle.more'), '.tar'),
    chooser('receipt', t('verify.receipt'), t('verify.receipt.more'), null),
    h('details', {}, h('summary', {}, t('verify.experts')),
      h('form', { onsubmit: loadAddress },
        h('label', { class: 'label', for: 'address' }, t('verify.address')),
        h('div', { class: 'row' }, h('input', { id: 'address', type: 'url', placeholder: 'https://shop.example/draws/summer', value: state.address }),
          h('button', { class: 'button quiet', type: 'submit' }, t('verify.address.load')))),
      h('label', { class: 'label', for: 'chain' }, t('verify.chain')), h('p', { class: 'soft', id: 'chain-more' }, t('verify.chain.more')),
      h('input', { id: 'chain', type: 'text', autocomplete: 'off', spellcheck: 'false', 'aria-describedby': 'chain-more', value: state.chain, onchange: setChain })));
}

/** Names the chosen files beside their buttons. */
function names() {
  const { file, address, receiptName } = state;
  const mb = file ? Math.max(0.1, file.size / 1e6) : 0;
  const size = new Intl.NumberFormat(lang, { style: 'unit', unit: 'megabyte', maximumFractionDigits: mb < 10 ? 1 : 0 }).format(mb);
  document.getElementById('bundle-name').textContent = file ? file.name + ' \u00b7 ' + size : address || t('verify.none');
  document.getElementById('receipt-name').textContent = receiptName || t('verify.none');
}

function draw() {
  document.documentElement.lang = lang;
  document.title = t('verify.name');
  for (const element of document.querySelectorAll('[data-text]')) element.textContent = t(element.dataset.text);
  document.querySelector('.langs').replaceChildren(...LANGUAGES.map(([tag, short, name]) => h('button', {
    type: 'button', lang: tag, 'aria-label': name, 'aria-pressed': String(tag === lang), onclick: () => speak(tag),
  }, short)));
  document.getElementById('inputs').replaceChildren(inputs());
  names();
  results();
}

function results() {
  const found = state.full ?? state.light;
  const states = statesOf(state);
  const shown = found ?? { warnings: [] };
  document.body.dataset.busy = state.busy;
  document.getElementById('results').replaceChildren(...[
    banner(found), state.busy === 'light' && h('p', { class: 'soft center', role: 'status' }, t('verify.busy')),
    found?.draw && h('p', { class: 'what' }, h('strong', {}, found.title || found.draw),
      found.stock !== undefined && ' \u00b7 ' + t('verify.stock', { n: number(found.stock - found.holdbacks) })),
    found?.draw && state.isTicketOfDraw && h('p', { class: 'soft', id: 'no-ticket' }, t('verify.mine.ticket')),
    ...(found?.room ? roomCards(found) : [found && mineCard(shown, states.mine, state.receipt), found && diceCard(shown, states.dice)]),
    found?.draw && allCard(shown, states.all)].filter(Boolean));
}

function speak(tag) {
  const open = document.activeElement?.getAttribute('lang');
  lang = tag;
  draw();
  if (open) document.querySelector('.langs [lang="' + tag + '"]').focus();
}

let runCheck;

/** Starts the short check, or the one of everyone. An answer that is out of date is dropped. */
async function check(light) {
  if (!state.file && !state.address) return;
  const run = ++state.run;
  Object.assign(state, light ? { light: null, full: null, busy: 'light' } : { busy: 'full', progress: null });
  results();
  const request = { light, file: state.file, address: state.address, receipt: state.receipt, chains: state.chain.split(/[\s,]+/).filter(Boolean), ticket: state.ticket };
  const found = await runCheck(request, (progress) => {
    if (run !== state.run) return;
    state.progress = progress;
    document.getElementById('progress')?.replaceChildren(...progressBar());
  });
  if (run !== state.run) return;
  Object.assign(state, { busy: '', [light ? 'light' : 'full']: found });
  results();
  if (!light) document.querySelector('#all h2')?.focus();
}

/** Takes a record or a receipt; its content tells which it is. `id` is the input in which it was chosen, if it was not dropped. */
async function takeFile(file, id) {
  const start = new Uint8Array(await file.slice(0, 512).arrayBuffer());
  const isTar = String.fromCharCode(...start.subarray(TAR_MAGIC, TAR_MAGIC + 5)) === 'ustar';
  const isReceipt = /^(c2sp\.org|fairgate-promise)\//.test(String.fromCharCode(...start.subarray(0, 20)));
  if (isReceipt || (!isTar && (id === 'receipt' || (file.size < 1e6 && (state.file || state.address))))) {
    Object.assign(state, { receipt: await file.slice(0, MAX_RECEIPT + 1).arrayBuffer(), receiptName: file.name });
  } else Object.assign(state, { file, address: '' });
  names();
  await check(true);
}

function loadAddress(event) {
  event.preventDefault();
  const address = document.getElementById('address').value.trim();
  Object.assign(state, { file: null, address });
  names();
  check(true);
}

function setChain({ target }) {
  const chain = target.value.trim();
  if (chain === state.chain) return;
  state.chain = chain;
  check(true);
}

function startPage(source) {
  const query = new URLSearchParams(location.search);
  const wanted = [query.get('lang') ?? '', ...navigator.languages];
  for (const name of wanted.reverse()) {
    // As `Languages` of the server.
    const [language, ...parts] = name.toLowerCase().split(/[-_]/);
    const region = parts.find((part) => /^(hans|cn|sg|my|hant|tw|hk|mo)$/.test(part));
    if (language === 'en') lang = 'en';
    else if (language === 'zh') lang = /^(hans|cn|sg|my)$/.test(region) ? 'zh-Hans' : 'zh-Hant';
  }
  runCheck = checker(source);
  const id = query.get('draw');
  if (id && /^[a-z0-9][a-z0-9-]*$/.test(id) && location.protocol.startsWith('http')) {
    Object.assign(state, { address: location.origin + '/draws/' + id, isTicketOfDraw: query.has('ticket') });
  }
  const room = query.get('room');
  if (room && /^[a-z0-9-]{1,40}$/.test(room) && location.protocol.startsWith('http')) {
    state.address = location.origin + '/q/' + room;
    const ticket = query.get('ticket');
    if (/^-?\d{1,40}$/.test(ticket ?? '')) state.ticket = BigInt(ticket);
    else if (ticket !== null) state.noTicket = ticket.slice(0, 40) || ' ';
  }
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', async (event) => {
    event.preventDefault();
    for (const file of event.dataTransfer.files) await takeFile(file);
  });
  draw();
  check(true);
}

if (typeof document === 'undefined') self.onmessage = ({ data }) => answer(data, (message) => self.postMessage(message));
else startPage(document.currentScript.textContent);
