// The page of a waiting room: gets a ticket, shows its place live, and enters when its turn has come.
import { backOff, call, wait } from './api.js';
import { h, say } from './dom.js';
import { ahead, drawn, estimate, fits, pollAfter } from './position.js';
import { lang, number, page, span, t } from './text.js';

const HERE_EVERY = 120000;
// A place of the network must end first, and each try solves a challenge.
const FULL_NETWORK_SECONDS = 30;
const TILE_AGE = 30000;
const TILE_RETRY = 5000;
// The longest wait between two tries of a visitor whose turn has come: the slot is reserved for a while only.
const TURN_RETRY = 5000;
const ENDED_EVERY = 30000;
const base = '/q/' + page.room;
const stored = 'fairgate.room.' + page.room;
const panel = document.getElementById('room');
const base64url = (data) => btoa(String.fromCharCode(...new Uint8Array(data))).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
const text = (value) => new TextEncoder().encode(value);

let place = null;
let tile = null;
let order = null;
let joinedWith = 0;
// The time of the last head, seconds: the clock of a browser may be wrong.
let issued = 0;
// Whether the turn had come by the last head.
let atTurn = false;
let wake = () => {};

// --- What the browser keeps: the place token, and the key or the secret behind it.

const keys = () => new Promise((resolve, reject) => {
  const open = indexedDB.open('fairgate', 1);
  open.onupgradeneeded = () => open.result.createObjectStore('keys');
  open.onsuccess = () => resolve(open.result);
  open.onerror = () => reject(open.error);
});

async function keptKey(make) {
  const database = await keys();
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const had = await done(database.transaction('keys').objectStore('keys').get(page.room));
  if (had || !make) return had;
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
  await done(database.transaction('keys', 'readwrite').objectStore('keys').put(pair, page.room));
  return pair;
}

/** The thumbprint of a key that cannot be exported, or the hash of a secret where there is no WebCrypto. */
async function binding() {
  try {
    const { publicKey } = await keptKey(true);
    const { crv, kty, x, y } = await crypto.subtle.exportKey('jwk', publicKey);
    return { jkt: base64url(await crypto.subtle.digest('SHA-256', text(JSON.stringify({ crv, kty, x, y })))) };
  } catch {
    return null;
  }
}

async function proof(path) {
  const pair = await keptKey(false);
  if (!pair) {
    // The browser has lost its key: joining again keeps the place, with a new one.
    remember(null);
    throw new Error('no key');
  }
  const { privateKey, publicKey } = pair;
  const { crv, kty, x, y } = await crypto.subtle.exportKey('jwk', publicKey);
  const encoded = (value) => base64url(text(JSON.stringify(value)));
  const input = encoded({ typ: 'dpop+jwt', alg: 'ES256', jwk: { crv, kty, x, y } }) + '.' + encoded({
    htm: 'POST',
    htu: location.origin + path,
    iat: issued,
    jti: base64url(crypto.getRandomValues(new Uint8Array(16))),
    ath: base64url(await crypto.subtle.digest('SHA-256', text(place.token))),
  });
  return input + '.' + base64url(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, text(input)));
}

function remember(fresh) {
  place = fresh;
  tile = null;
  order = null;
  try {
    if (fresh) localStorage.setItem(stored, JSON.stringify(fresh));
    else localStorage.removeItem(stored);
  } catch { /* A private window may have no storage: the place lasts as long as the page. */ }
}

function recall() {
  try {
    place = JSON.parse(localStorage.getItem(stored));
  } catch {
    place = null;
  }
}

// --- What the visitor sees.

const title = h('h2', { tabindex: -1 });
const lead = h('p', { class: 'more' });
const spot = h('strong', {});
const spotRow = h('p', { class: 'place', hidden: true }, h('span', { class: 'label' }, t('room.place')), spot);
const times = h('dd', {}, '\u2013');
const left = h('dd', {}, '\u2013');
const total = h('dd', {}, '\u2013');
const fact = (label, value) => h('div', { class: 'fact' }, h('dt', {}, label), value);
const facts = h('dl', { class: 'facts', hidden: true },
  fact(t('room.time'), times), fact(t('room.left'), left), fact(t('room.total'), total));
const stockNote = h('p', { class: 'note warn', hidden: true, role: 'status' });
const message = h('p', { class: 'note', hidden: true, role: 'status' });
const appealLink = h('a', { href: '#' }, t('wait.appeal'));
const appeal = h('p', { hidden: true }, appealLink);
const keep = h('p', { class: 'soft' });
const checkLink = h('a', { href: '#' }, t('room.check'));
const check = h('p', { hidden: true }, checkLink);
const leaveButton = h('button', { class: 'button text', type: 'button', hidden: true, onclick: leave }, t('room.leave'));
const again = h('button', { class: 'button primary', type: 'button', hidden: true, onclick: () => location.reload() }, t('room.again'));
const shop = h('a', { class: 'button primary', hidden: true, href: page.target || '/' }, t('room.shop'));
const widget = h('div', { class: 'widget' });
panel.replaceChildren(title, lead, spotRow, facts, stockNote, message, appeal, widget, keep, check, again, shop, leaveButton);

function show(stage, more = '') {
  panel.dataset.stage = stage;
  say(title, t('room.' + stage + '.title'));
  say(lead, more || t('room.' + stage + '.more'));
  const waiting = stage === 'open' || stage === 'paused';
  spotRow.hidden = facts.hidden = !waiting;
  leaveButton.hidden = !place || stage === 'ended';
  shop.hidden = stage !== 'ended' && stage !== 'inside';
  appeal.hidden = true;
  say(keep, waiting || stage === 'before' ? t('room.keep') : '');
}

function note(element, words) {
  element.hidden = !words;
  say(element, words || '');
}

function clockTime(seconds, second = undefined) {
  return new Intl.DateTimeFormat(lang, { hour: 'numeric', minute: '2-digit', second, weekday: 'short', timeZoneName: 'short' }).format(seconds * 1000);
}

function beforeText({ order, draw, issued: at }) {
  if (!draw) return order === 'arrival' ? '' : t('room.' + order);
  const time = clockTime(draw.at, '2-digit');
  if (at > draw.at + page.late) return t('room.drawing.late', { time });
  return place.ticket < draw.n ? t('room.drawing', { n: number(draw.n), time }) : t('room.drawing.after', { time });
}

// A head that is older than the place says nothing about it.
function showStock(ticket, { stock, last }) {
  if (!stock || ticket >= last) return note(stockNote, '');
  if (stock.left === 0) return note(stockNote, t('room.stock.none'));
  if (ticket >= stock.p90) return note(stockNote, t('room.stock.unlikely', { n: number(stock.left) }));
  return note(stockNote, ticket >= stock.p50 ? t('room.stock.perhaps', { n: number(stock.left) }) : '');
}

function showPlace(ticket, head, people) {
  const range = estimate(people, head.rate);
  const near = range && span(range[0]);
  const far = range && span(range[1]);
  const before = ticket - head.cursor;
  say(spot, number(people + 1));
  say(times, !range ? '\u2013' : near === far ? '\u2248 ' + near : t('room.range', { from: near, to: far }));
  say(left, before > 0 ? Math.round((100 * (before - people)) / before) + ' %' : '\u2013');
  // The head may be older than the own ticket.
  say(total, number(Math.max(people + 1, head.last - head.cursor - head.gone.reduce((sum, n) => sum + n, 0))));
  panel.dataset.ahead = people;
  document.title = number(people + 1) + ' \u2013 ' + page.title;
}

// --- The steps.

const go = (url) => location.replace(url || '/');

async function join() {
  show('joining');
  let token = '';
  if (page.challenge) {
    const { prove } = await import('./challenge.js');
    try {
      token = await prove(page.product, { host: widget, onProgress: () => {}, signal: new AbortController().signal });
    } catch (failure) {
      // A visitor who cannot solve it gets a refusal with a link to the appeal. After a granted one the server asks for no solution.
      if (!failure.unsolved) throw failure;
    }
    widget.replaceChildren();
  }
  const bound = await binding();
  const secret = bound ? null : crypto.getRandomValues(new Uint8Array(32));
  const hold = secret && base64url(await digest([...text('fairgate-hold/1\n'), ...secret]));
  const answer = await call('POST', base + '/join', { body: { turnstile_token: token, ...(bound ?? { hold }) } });
  if (answer.ok) {
    remember({ token: answer.data.place, ticket: answer.data.ticket, epoch: answer.data.epoch, secret: secret && base64url(secret) });
  } else if (answer.code === 'ROOM_NOT_WAITING') {
    go(page.target);
  } else {
    // Going there by itself could go on for ever: a browser that has lost its pass is sent back.
    if (answer.code === 'ALREADY_INSIDE') show('inside');
    else refused(answer);
    await wait(backOff(++joinedWith, answer.code === 'NETWORK_LIMIT_REACHED' ? FULL_NETWORK_SECONDS : answer.retryAfter));
  }
}

function refused({ message: words, data }) {
  show('refused');
  note(message, words);
  appeal.hidden = !data?.appeal_url;
  if (data?.appeal_url) appealLink.href = data.appeal_url;
}

/** SHA-256; pages without https have no WebCrypto and cannot join with a secret. */
const digest = (data) => crypto.subtle.digest('SHA-256', new Uint8Array(data));

/** In a header the token is seen before the body is read: the limits then count by ticket. */
const token = () => ({ 'X-Fairgate-Place': place.token });

const credentials = async (path) => (place.secret ? { secret: place.secret } : { proof: await proof(path) });

async function here() {
  if (!place) return;
  const answer = await call('POST', base + '/here', { headers: token() });
  if (answer.code === 'PLACE_GONE') ended();
  if (answer.code === 'INVALID_PLACE_TOKEN') remember(null), wake();
}

function ended() {
  const hadEntered = place?.entered;
  remember(null);
  // The visit is over, and the visitor has come again: not a place that was lost.
  if (hadEntered) return wake();
  show('gone');
  again.hidden = false;
  clearInterval(pulse);
  stopped = true;
}

async function leave() {
  const path = base + '/leave';
  const answer = await call('POST', path, { headers: token(), body: await credentials(path) });
  if (answer.ok || answer.code === 'PLACE_GONE') ended();
  else note(message, answer.message);
}

async function enter() {
  show('turn');
  const path = base + '/enter';
  const answer = await call('POST', path, { headers: token(), body: { ...(await credentials(path)), return: page.return } });
  if (answer.ok) {
    // Kept until the visitor is inside for sure: if the next answer is lost, this page enters again.
    remember({ ...place, entered: true });
    stopped = true;
    return go(answer.data.location);
  }
  if (answer.code === 'PLACE_GONE') return ended();
  if (answer.code === 'ALREADY_INSIDE') remember(null);
  if (answer.code === 'ALREADY_INSIDE' || answer.code === 'ROOM_NOT_WAITING') return go(page.target);
  if (answer.code === 'INVALID_PLACE_TOKEN') remember(null);
  else if (answer.code !== 'NOT_YOUR_TURN') note(message, answer.message);
  await wait(backOff(0, answer.retryAfter));
}

async function readHead() {
  const response = await fetch(base + '/head', { credentials: 'omit', signal: AbortSignal.timeout?.(12000) });
  if (response.ok) return response.json();
  // The room was deleted.
  if (response.status === 404 && (await response.json()).error === 'ROOM_NOT_FOUND') return null;
  throw new Error('head ' + response.status);
}

async function readTile(ticket, head) {
  const block = Math.floor(ticket / 2 ** head.block);
  if (tile?.block === block && Date.now() - tile.at < (fits(tile.bits, block, head) ? TILE_AGE : TILE_RETRY)) return tile.bits;
  const response = await fetch(base + '/gone/' + head.epoch + '/' + block, { credentials: 'omit' });
  if (response.ok) tile = { block, at: Date.now(), bits: new Uint8Array(await response.arrayBuffer()) };
  return tile?.block === block ? tile.bits : null;
}

async function position(head) {
  if (!head.drawn) return place.ticket;
  if (order?.seed !== head.drawn.seed) order = { seed: head.drawn.seed, ticket: await drawn(place.ticket, head.drawn) };
  return order.ticket;
}

function over(pause) {
  document.title = page.title;
  note(stockNote, '');
  show('ended');
  return pause;
}

async function look() {
  const head = await readHead();
  atTurn = false;
  if (!head) return note(message, ''), over(ENDED_EVERY);
  issued = head.issued;
  note(message, head.stale ? t('room.stale') : head.msg?.[lang] ?? '');
  if (head.phase === 'off') return go(page.target), head.poll.max;
  if (head.phase === 'ended') return over(head.poll.max);
  if (!place || place.epoch !== head.epoch) await join();
  if (!place) return head.poll.min;
  if (head.phase === 'before') {
    show('before', beforeText(head));
    if (head.opens && !head.draw) say(keep, t('room.opens', { time: clockTime(head.opens) }));
    const rest = (head.draw?.at ?? head.opens) * 1000 - Date.now();
    if (rest > head.poll.max) return head.poll.max * (1 + Math.random());
    // The longer the opening is late, the more seldom a browser asks.
    return Math.min(head.poll.max, Math.max(500, rest, -rest / 10)) + Math.random() * head.poll.min;
  }
  const ticket = await position(head);
  atTurn = ticket < head.cursor;
  if (atTurn) return await enter(), head.poll.min;
  check.hidden = head.drawn?.epoch === undefined || place.ticket >= head.drawn.n;
  checkLink.href = '/verify?room=' + page.room + '&ticket=' + place.ticket;
  const people = ahead(ticket, head, await readTile(ticket, head));
  show(head.phase);
  showPlace(ticket, head, people);
  showStock(ticket, head);
  return pollAfter(people, head);
}

let stopped = false;
let failures = 0;
const pulse = setInterval(here, HERE_EVERY);
addEventListener('visibilitychange', () => document.hidden || wake());
addEventListener('pageshow', (event) => event.persisted && (stopped ? location.reload() : wake()));

/** A hidden page does not look; its place is kept by `here` alone. */
const untilWanted = (ms) => new Promise((resolve) => {
  wake = resolve;
  if (!document.hidden) setTimeout(resolve, ms);
});

recall();
while (!stopped) {
  let pause;
  try {
    pause = await look();
    failures = 0;
  } catch {
    note(message, t('room.offline'));
    pause = Math.min(backOff(++failures), atTurn ? TURN_RETRY * (1 - 0.2 * Math.random()) : Infinity);
  }
  if (!stopped) await untilWanted(pause);
}
