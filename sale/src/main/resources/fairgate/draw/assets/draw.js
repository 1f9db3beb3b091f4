// The page of a draw: entering, the receipt, and my place. What is the same for everybody is drawn by the server.
import { backOff, call, now, wait } from './api.js';
import { prove } from './challenge.js';
import { bar, confirmed, h, say } from './dom.js';
import { clock, lang, millis, moment, number, page, t } from './text.js';

const id = page.draw;
const mine = document.getElementById('mine');
const problem = document.getElementById('problem');
const announcer = document.getElementById('announcer');
const LOOK_MS = 60000;
const OFFER_MS = 20000;
const DUE_MS = 3000;
const ENTRY = '/api/draws/' + id + '/entry';

let draw = null;
let entry = null;
let quantity = 1;
let busy = false;
let hasReceipt = false;
let shown = '';
let failures = 0;
let timer = 0;
const ticking = h('strong', { class: 'count', role: 'timer' });

const shareOf = (lot) => parseInt(lot.slice(0, 12), 16) / 2 ** 48;
const percent = (share) => new Intl.NumberFormat(lang, { style: 'percent', maximumFractionDigits: share < 0.1 ? 1 : 0 }).format(share);

/** The name of the state; `late` while the random number is overdue. */
const word = () => (draw.late_since ? 'late' : draw.state);

/** The next moment at which something happens, ms; null when there is none. */
function due() {
  return { announced: millis(draw.opens_at), open: millis(draw.closes_at), sealing: millis(draw.draws_at), sealed: millis(draw.draws_at) }[word()] ?? null;
}

function countdown() {
  const at = due();
  if (!at) return null;
  const state = draw.state === 'sealing' ? 'sealed' : draw.state;
  tick();
  return h('div', {}, h('span', { class: 'label' }, t('draw.count.' + state)), ticking);
}

function tick() {
  const at = draw && due();
  if (at) say(ticking, at > now() ? clock((at - now()) / 1000) : t('draw.due'));
}

const title = (key, values) => h('h2', { id: 'mine-title', tabindex: -1 }, t(key, values));
const line = (key, values) => h('p', { class: 'more' }, t(key, values));

function entering() {
  if (draw.state !== 'open') return [countdown(), draw.state !== 'announced' && line('draw.not')];
  const most = draw.max_quantity;
  const step = (label, by) => h('button', {
    class: 'step', type: 'button', 'aria-label': label + ' ' + t('draw.quantity'), disabled: busy || quantity + by < 1 || quantity + by > most,
    onclick: () => { quantity += by; show(true); },
  }, label);
  const progress = bar(t('draw.checking'), 'endless');
  return [
    countdown(),
    most > 1 && h('div', { class: 'quantity', role: 'group', 'aria-label': t('draw.quantity') },
      h('span', { class: 'label' }, t('draw.quantity')), step('\u2212', -1), h('output', { class: 'amount' }, number(quantity)), step('+', 1)),
    h('div', { id: 'widget', class: 'widget' }),
    busy && progress.node,
    h('button', { class: 'button primary big', type: 'button', id: 'enter', disabled: busy, onclick: enter }, t(busy ? 'draw.entering' : 'draw.enter')),
  ];
}

function receipt() {
  return hasReceipt
    ? h('div', {}, h('a', { class: 'button quiet', id: 'receipt', href: '/api/draws/' + id + '/receipt', download: id + '.tlog-proof' }, t('draw.receipt')),
      h('p', { class: 'soft' }, t('draw.receipt.more')))
    : h('p', { class: 'soft', role: 'status' }, t('draw.receipt.wait'));
}

const check = () => h('a', { class: 'button text', href: '/verify?draw=' + id }, t('draw.check'));

function entered() {
  if (entry.absence) return [title('draw.' + entry.absence), line('draw.' + entry.absence + '.more'), receipt()];
  if (entry.rank !== undefined) return result();
  const values = { i: number(entry.index + 1) };
  if (draw.state !== 'open') return [countdown(), title('draw.sealed'), line('draw.sealed.more', values), receipt()];
  return [
    title('draw.in'), line('draw.in.more', values), receipt(), countdown(),
    h('button', { class: 'button text', type: 'button', id: 'withdraw', onclick: withdraw }, t('draw.withdraw')),
  ];
}

/** What the place means: the name of its text, and whether its owner can buy now. */
function meaning() {
  const { offer, rank } = entry;
  if (offer?.bought > 0) return 'bought';
  if (offer?.bought === 0) return 'passed';
  if (offer?.status === 'offered') return 'offered';
  if (draw.state === 'ended' || draw.state === 'aborted') return 'over';
  return rank < draw.units ? 'inside' : 'outside';
}

function result() {
  const what = meaning();
  const share = shareOf(entry.lot);
  const marker = h('div', { class: 'marker' });
  marker.style.left = 100 * share + '%';
  const until = millis(entry.offer?.claim_until);
  return [
    h('div', {}, h('span', { class: 'label' }, t('draw.place')), h('strong', { class: 'rank' }, number(entry.rank + 1)), ' ',
      h('span', { class: 'soft' }, t('draw.place.of', { n: number(draw.result.size) }))),
    title('draw.means.' + what, { n: number(entry.offer?.bought ?? 0) }),
    what !== 'bought' && line('draw.means.' + what + '.more', { units: number(draw.units), time: until ? moment(until) : '' }),
    what === 'offered' && h('a', { class: 'button primary big', href: '/p/' + draw.product_id }, t('draw.buy')),
    h('p', { class: 'soft' }, t('draw.lot', { lot: entry.lot.slice(0, 8), share: percent(share) })),
    h('div', { class: 'scale', 'aria-hidden': 'true' }, marker),
    h('div', { class: 'ends', 'aria-hidden': 'true' }, h('span', {}, t('draw.first')), h('span', {}, t('draw.last'))),
    receipt(), check(),
  ];
}

/** Draws my part again if it has changed. */
function show(force = false) {
  const key = JSON.stringify([draw, entry, busy, hasReceipt]);
  if (key === shown && !force) return;
  shown = key;
  const focused = document.activeElement?.id;
  const parts = (entry ? entered() : entering()).filter(Boolean);
  mine.replaceChildren(...parts);
  mine.hidden = !parts.length;
  if (focused) document.getElementById(focused)?.focus();
}

function complain(text) {
  problem.hidden = !text;
  say(problem, text);
}

async function enter() {
  busy = true;
  complain('');
  show();
  try {
    const token = await prove(draw.product_id, { host: document.getElementById('widget'), onProgress() {}, signal: new AbortController().signal });
    const answer = await call('POST', '/api/draws/' + id + '/entries', { body: { quantity, turnstile_token: token }, timeout: 30000 });
    const step = answer.data?.step_url;
    if (step) return location.assign(step + '&next=' + encodeURIComponent(location.pathname));
    // After a lost answer the entry may be there: a repeat gives the same entry.
    if (!answer.ok) complain(answer.message);
    if (answer.code === 'DEPOSIT_REQUIRED') {
      problem.append(' ', h('a', { href: '/p/' + draw.product_id + '/deposit' }, t('deposit.pay')));
    }
  } catch (e) {
    complain(e.message);
  }
  busy = false;
  await refreshEntry();
  show();
  document.getElementById('mine-title')?.focus();
}

async function withdraw() {
  if (!(await confirmed(t('draw.withdraw.sure'), t('draw.withdraw.more'), t('draw.withdraw.yes'), t('draw.withdraw.no')))) return;
  const response = await fetch(ENTRY, { method: 'DELETE', credentials: 'same-origin', headers: { 'Accept-Language': lang } }).catch(() => null);
  if (!response?.ok) complain((await response?.json().catch(() => null))?.message ?? t('error.network'));
  await refreshEntry();
  show();
}

async function refreshEntry() {
  const answer = await call('GET', ENTRY);
  if (answer.ok) entry = answer.data;
  else if (answer.status === 404) entry = null;
  if (entry && !hasReceipt) awaitReceipt();
}

let isWaiting = false;

/** The receipt exists from the next signed head of the list on. */
async function awaitReceipt() {
  if (isWaiting) return;
  isWaiting = true;
  for (let n = 0; n < 30 && !hasReceipt; n++) {
    const response = await fetch('/api/draws/' + id + '/receipt', { credentials: 'same-origin' }).catch(() => null);
    hasReceipt = response?.ok ?? false;
    if (!hasReceipt) await wait(1000 + 500 * n);
  }
  isWaiting = false;
  show();
}

/** The parts that the server draws, again: after a change of the state. Visitors come one after the other. */
async function redrawState() {
  await wait(Math.random() * 2000);
  const response = await fetch(location.href, { credentials: 'same-origin' }).catch(() => null);
  if (!response?.ok) return;
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
  for (const part of ['state', 'course', 'facts']) document.getElementById(part).replaceWith(fresh.getElementById(part));
  say(announcer, document.querySelector('#state h1').textContent);
}

/** Most visitors only wait for a moment that is known, so they ask rarely before it. */
function pause() {
  if (failures || !draw) return backOff(failures);
  if (isOffering() || word() === 'late') return OFFER_MS;
  const left = (due() ?? Infinity) - now();
  return left > 0 ? Math.min(LOOK_MS, left + 300) : DUE_MS;
}

const isOffering = () => draw.state === 'drawn' || draw.state === 'allocating';

async function refresh() {
  clearTimeout(timer);
  if (document.visibilityState === 'visible') {
    const answer = await call('GET', '/api/draws/' + id);
    if (answer.ok) {
      if (failures) complain('');
      failures = 0;
      const isNew = draw?.state !== answer.data.state;
      draw = answer.data;
      if (isNew || (entry && isOffering())) await refreshEntry();
      const shown = document.getElementById('state').dataset;
      if (word() !== shown.state || String(draw.round) !== shown.round) await redrawState();
      show();
    } else {
      complain(t('draw.lost'));
      failures++;
    }
  }
  timer = setTimeout(refresh, pause() + Math.random() * DUE_MS);
}

document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && refresh());
setInterval(tick, 500);
refresh();
