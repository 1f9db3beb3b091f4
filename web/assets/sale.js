// The sale page: one state machine from the gate's check to the order number.
import { backOff, call, now, randomKey, wait } from './api.js';
import { prove } from './challenge.js';
import { confirmed, h, mendPictures, say } from './dom.js';
import { follow } from './live.js';
import * as signal from './signal.js';
import * as stages from './stages.js';
import { local, tab } from './store.js';
import { depositText, millis, moment, number, page, saleState, sentences, span, stateText, stockText, t } from './text.js';

const id = page.product.id;
const panel = document.getElementById('panel');
const steps = [...document.querySelectorAll('#steps li')];
const announcer = document.getElementById('announcer');
const banner = document.getElementById('banner');
const problemBox = document.getElementById('problem');

const PLACE = 'fairgate.place.' + id;
const INVITATION = 'fairgate.invitation.' + id;
const BUY = 'fairgate.buy.' + id;
const RETURN = 'fairgate.return.' + id;
const JOIN = '/api/queue/join';
const COOLDOWN = 'fairgate.cooldown.' + id;
const read = (store, key) => JSON.parse(store.getItem(key) ?? 'null');
const write = (store, key, value) => (value ? store.setItem(key, JSON.stringify(value)) : store.removeItem(key));

const state = {
  product: page.product,
  status: page.status ?? null,
  place: read(local, PLACE),
  order: page.order ?? null,
  deposit: page.deposit?.status ? page.deposit : null,
  end: null,
  check: null,
  busy: false,
  again: false,
  link: '',
  ban: null,
};
if (state.status && state.place?.session !== state.status.session_id) state.place = { session: state.status.session_id };
// Kept for the way through sign-in and verification.
const invited = new URLSearchParams(location.search).get('invite');
if (invited) write(local, INVITATION, invited);
let shown = null;
let view;
let follower;
let abort;
let orderTimer = 0;

const saleNow = () => (state.order ? null : state.status?.sale_status) ?? saleState(state.product, now());

function stage() {
  if (state.ban) return 'banned';
  if (state.check) return 'checking';
  if (state.order) return { pending: 'pending', paid: 'paid' }[state.order.status] ?? 'ended';
  if (state.end) return 'ended';
  return { waiting: 'waiting', active: 'active', ready_to_purchase: 'ready' }[state.status?.queue_status] ?? 'idle';
}

function redraw() {
  const name = stage();
  if (name === 'ended' && state.order) state.end = { cancelled: 'cancelled', refunded: 'refunded' }[state.order.status] ?? 'unpaid';
  const key = name + (name === 'ended' ? state.end : '') + (state.order?.order_id ?? '');
  const inLine = name === 'waiting' || name === 'active';
  const context = {
    ...state, act, sale: saleNow(), cooldown: cooldown(), fixed: read(tab, BUY)?.body.quantity,
    first: inLine ? firstPosition(stages.ahead(state.status)) : 0,
    invited: Boolean(read(local, INVITATION)),
  };
  if (key !== shown) {
    const hadOne = shown !== null;
    shown = key;
    view = stages[name](context);
    panel.replaceChildren(...view.node.flat().filter(Boolean));
    document.body.dataset.stage = name;
    markSteps(name);
    if (hadOne) panel.querySelector('h2')?.focus({ preventScroll: true });
    if (hadOne) announce(panel.querySelector('h2').textContent);
    // The next one can enter the waiting room.
    if (name === 'paid' && page.room) call('POST', '/q/' + page.room.id + '/release');
    if (name === 'ready') signal.start(hadOne);
    else signal.stop();
  }
  view.update(context);
  const place = inLine ? stages.ahead(state.status) + 1 : 0;
  signal.entitle(place ? t('title.place', { place: number(place), name: page.name }) : page.name);
  if (inLine) milestone(place);
  if (name === 'ready') lastCall();
  drawProduct(context.sale);
  drawDeposit();
}

const order = { idle: -1, banned: -1, checking: 0, waiting: 1, active: 1, ready: 2, pending: 3, paid: 4, ended: -1 };
function markSteps(name) {
  steps.forEach((step, i) => {
    step.className = i < order[name] ? 'done' : i === order[name] ? 'now' : '';
    if (i === order[name]) step.setAttribute('aria-current', 'step');
    else step.removeAttribute('aria-current');
  });
}

/* Where this visitor began; kept over reloads. */
function firstPosition(position) {
  const { place } = state;
  if (!place || place.first >= position) return place?.first ?? position;
  place.first = position;
  write(local, PLACE, place);
  return position;
}

function drawProduct(sale) {
  const { remaining_stock: left } = state.product;
  const stock = document.getElementById('stock');
  const reserved = left > 0 && state.product.reserved_stock;
  say(stock, sentences(
    stockText(state.product, sale),
    reserved && '\u00b7 ' + t('stock.reserved', { n: number(reserved) }),
  ));
  drawTiers();
  const badge = document.getElementById('state');
  badge.className = 'badge ' + sale;
  say(badge, stateText(state.product, sale, now()));
}

/* How the visitor's deposit has ended. Without an end the line stays as it came. */
function drawDeposit() {
  const line = document.querySelector('#deposit a');
  const { deposit } = state;
  const text = line && deposit && deposit.status !== 'paid' && !deposit.offered && depositText(deposit, 'own.' + deposit.status);
  if (text) say(line, text);
}

/* What becomes of the deposit when the place ends now. */
const onEnd = (passes) => state.deposit?.status === 'paid' && depositText(state.deposit, 'own.' + (passes ? state.deposit.passed : 'returned'));

/* An ended place or order ends its deposit within seconds. */
let depositTries = 0;
function endDeposit() {
  depositTries = 0;
  refreshDeposit();
}
async function refreshDeposit() {
  if (state.deposit?.status !== 'paid' || depositTries++ > 9) return;
  const answer = await api('GET', 'deposits/' + state.deposit.deposit_id);
  if (answer.ok) state.deposit = answer.data;
  redraw();
  setTimeout(refreshDeposit, 2000);
}

/* The groups admitted first, with the visitor's times. */
function drawTiers() {
  const list = document.getElementById('tiers');
  if (!list) return;
  (state.product.priority ?? []).forEach((tier, i) => {
    const over = millis(tier.until) <= now();
    const values = { share: number(tier.share), name: tier.name, group: t('tiers.for.' + tier.for), time: moment(millis(tier.until)) };
    say(list.children[i], t(over ? 'tiers.over' : 'tiers.line', values));
  });
}

/* Told to screen readers. */

let lastMilestone = Infinity;
function announce(text) {
  say(announcer, text);
}
function milestone(placeNow) {
  const mark = [10000, 5000, 1000, 500, 100, 50, 10, 5, 1].findLast((limit) => placeNow <= limit) ?? Infinity;
  if (mark < lastMilestone && shown) announce(panel.querySelector('h2').textContent + '. ' + t('wait.place') + ': ' + number(placeNow));
  lastMilestone = mark;
}
const called = new Set();
function lastCall() {
  const seconds = (millis(state.status.purchase_timeout_at) - now()) / 1000;
  const mark = [10, 30, 60].find((limit) => seconds > 0 && seconds <= limit);
  if (!mark || called.has(mark)) return;
  called.add(mark);
  announce(t('ready.time') + ': ' + span(seconds));
}

/* A pause after a missed turn, or an order that was cancelled or not paid. */
function pause({ rejoin_at: until }) {
  if (until) write(local, COOLDOWN, millis(until));
}
async function askPause() {
  const answer = await api('GET', 'queue/status');
  if (answer.ok) pause(answer.data);
  redraw();
}

/* Seconds for which such a pause bars joining. */
function cooldown() {
  const until = read(local, COOLDOWN) ?? 0;
  const left = Math.ceil((until - now()) / 1000);
  if (until && left <= 0) {
    write(local, COOLDOWN, null);
    problem(null);
  }
  return Math.max(0, left);
}

function onBanned(answer) {
  state.check = null;
  state.ban = answer;
  banner.hidden = true;
  redraw();
}

/* An account that the sale refuses: the reason, and the page that helps. */
const JOIN_NOW = '#join';
function accountHelp({ code, data }) {
  if (code === 'DEPOSIT_REQUIRED') {
    write(tab, RETURN, now());
    return { text: t('deposit.required'), href: '/p/' + id + '/deposit', label: t('deposit.pay') };
  }
  if (code !== 'SIGN_IN_REQUIRED' && code !== 'VERIFICATION_REQUIRED') return null;
  const guest = code === 'SIGN_IN_REQUIRED';
  const required = data?.required ?? 'account';
  const kind = { phone: 'phone', person: 'number' }[required];
  const next = 'next=' + encodeURIComponent('/p/' + id + JOIN_NOW);
  const href = kind ? '/account/verify?kind=' + kind + '&' + next : guest ? '/account?' + next : '';
  if (href) write(tab, RETURN, now());
  return { text: t('error.required.' + required), href, label: t(guest ? 'error.sign_in' : 'error.verify') };
}

/* The reason of a decision on risk, what would help, and where to appeal. */
function reasons(data) {
  return [
    data?.reason_text ? h('p', { class: 'soft' }, sentences(data.reason_text, ...(data.help_text ?? []))) : '',
    data?.appeal_url ? h('p', {}, h('a', { href: data.appeal_url }, t('wait.appeal'))) : '',
  ];
}

function problem(answer) {
  if (answer?.code === 'CLIENT_BANNED') {
    onBanned(answer);
    answer = null;
  }
  if (answer?.code === 'UNPAID_COOLDOWN' || answer?.code === 'TURN_MISSED') {
    write(local, COOLDOWN, now() + answer.retryAfter * 1000);
    answer = { ...answer, retryAfter: 0, reference: '' };
  }
  problemBox.hidden = !answer;
  problemBox.replaceChildren();
  if (!answer) return;
  const { code, message, retryAfter, reference } = answer;
  const help = accountHelp(answer);
  const text = help?.text ?? (code === 'ALREADY_IN_QUEUE' ? t('error.elsewhere') : message);
  problemBox.append(
    h('p', {}, sentences(text, retryAfter && t('error.retry', { time: span(retryAfter) }))),
    help?.href ? h('p', {}, h('a', { class: 'button primary', href: help.href }, help.label)) : '',
    ...reasons(answer.data),
    reference && !help ? h('p', { class: 'soft' }, t('error.reference', { id: reference })) : '',
  );
}

function onLink(link) {
  const bad = link === 'lost' || link === 'offline';
  if (!bad && !banner.hidden) announce(t('link.back'));
  state.link = link;
  banner.hidden = !bad;
  const kept = order[stage()] === order.waiting && t('link.kept', { time: span(state.product.presence_timeout_seconds ?? 86400) });
  say(banner.lastElementChild, bad ? sentences(t('link.' + link), kept) : '');
  redraw();
}

function keep(session) {
  state.place = { session };
  state.end = null;
  state.order = null;
  called.clear();
  lastMilestone = Infinity;
  write(local, PLACE, state.place);
  write(tab, BUY, null);
  watch();
}

function watch() {
  follower?.stop();
  follower = state.place && follow(state.place.session, { onStatus, onGone: () => finish('lost'), onBanned, onLink });
}

function onStatus(status) {
  state.check = null;
  state.ban = null;
  if (status.sale_status !== state.status?.sale_status) refreshSoon();
  if (status.product_id !== undefined && String(status.product_id) !== id) return finish(null);
  state.status = status;
  if (status.queue_status === 'purchased' && !state.order) return findOrder(status);
  if (status.queue_status === 'expired') {
    pause(status);
    return finish({ window: 'missed', no_show: 'missed', closed: 'closed', left: 'left', unpaid: 'unpaid' }[status.ended] ?? (saleNow() === 'closed' ? 'closed' : 'lost'));
  }
  redraw();
}

function finish(end) {
  follower?.stop();
  Object.assign(state, { end, status: null, order: null, check: null, again: false });
  state.place = null;
  write(local, PLACE, null);
  write(tab, BUY, null);
  banner.hidden = true;
  redraw();
  endDeposit();
}

const api = (method, path, options) => call(method, '/api/' + path, { session: state.place?.session, ...options });
// Loaded when needed; a browser without them proves nothing.
const optional = (name) => import(name).catch(() => ({}));
const purchase = async (saved, extra) => {
  const about = { product_id: id, session_id: state.place?.session, idempotency_key: saved.key };
  const { proof } = await optional('./device-key.js');
  const headers = { 'Idempotency-Key': saved.key, ...(await proof?.('/api/purchase', about)) };
  return api('POST', 'purchase', { headers, body: { ...saved.body, ...extra } });
};

/* An answer that was lost: the same key gives the same order again. */
async function findOrder(status) {
  follower?.stop();
  const saved = read(tab, BUY);
  const known = status.order_id ?? state.place?.order;
  const answer = known ? await api('GET', 'orders/' + known) : saved && (await purchase(saved));
  if (answer?.ok) return takeOrder(answer.data);
  if (!answer?.lost && answer?.status !== 429) return finish('lost');
  await wait(backOff(2, answer.retryAfter));
  return findOrder(status);
}

function takeOrder(data) {
  state.order = { ...state.order, ...data, status: data.status ?? state.order?.status ?? 'paid' };
  state.busy = false;
  state.again = false;
  if (state.place) {
    state.place.order = state.order.order_id;
    write(local, PLACE, state.place);
  }
  write(tab, BUY, null);
  problem(null);
  clearTimeout(orderTimer);
  follower?.stop();
  if (state.order.status === 'pending') {
    orderTimer = setTimeout(refreshOrder, 3000);
  } else if (state.order.status !== 'paid') {
    askPause();
    write(local, PLACE, null);
  }
  redraw();
  if (stage() === 'ended') endDeposit();
}

addEventListener('offline', () => stage() === 'pending' && onLink('offline'));
addEventListener('online', refreshOrder);

async function refreshOrder() {
  clearTimeout(orderTimer);
  if (state.order?.status !== 'pending') return;
  const answer = await api('GET', 'orders/' + state.order.order_id);
  onLink(answer.ok ? 'poll' : answer.lost ? 'lost' : state.link);
  if (answer.ok) takeOrder(answer.data);
  else orderTimer = setTimeout(refreshOrder, backOff(2, answer.retryAfter));
}

async function settle(verb, body) {
  problem(null);
  state.busy = true;
  redraw();
  const answer = await api('POST', 'orders/' + state.order.order_id + '/' + verb, { body });
  state.busy = false;
  if (answer.ok) return takeOrder(answer.data);
  problem(answer);
  return refreshOrder();
}

/* How the page is used before the join, as numbers. The join does not wait for the script. */
let behavior = {};
if (page.behavior) optional('./behavior.js').then((script) => (behavior = script));

/* What the browser proves about itself at the join. */
async function evidence(token) {
  const { digest, proof } = await optional('./device-key.js');
  const { fingerprint } = page.fingerprint ? await optional('./fingerprint.js') : {};
  const challenge = await digest?.(token).catch(() => '');
  return { ...(await fingerprint?.()), ...(await proof?.(JOIN, { product_id: id, challenge })) };
}

/* To a page that leads back to join. */
function toRoom(url) {
  state.check = null;
  redraw();
  write(tab, RETURN, now());
  location.assign(url);
}

// The reply to the join; null when the buyer stopped the check.
async function proveAndJoin(level) {
  state.check = { share: 0, joining: false };
  redraw();
  const token = await prove(id, {
    host: view.host,
    signal: abort.signal,
    level,
    onProgress: (share) => state.check && ((state.check.share = share), redraw()),
  });
  if (abort.signal.aborted) return null;
  state.check.joining = true;
  redraw();
  const invitation = read(local, INVITATION) ?? undefined;
  const headers = await evidence(token);
  const body = { product_id: id, turnstile_token: token, invitation, behavior: behavior.numbers?.() };
  return call('POST', JOIN, { headers, body });
}

const act = {
  redraw,

  async join() {
    if (state.check) return;
    problem(null);
    if (state.product.payment_required && !navigator.cookieEnabled) return problem({ message: t('error.cookies') });
    if (page.room?.waits) return toRoom('/q/' + page.room.id + '/');
    abort = new AbortController();
    Object.assign(state, { end: null, order: null, status: null });
    try {
      let answer = await proveAndJoin();
      // A proof is valid for two minutes in one network.
      const level = { INVALID_TURNSTILE_TOKEN: 'usual', CHALLENGE_REQUIRED: 'harder' }[answer?.code];
      if (level && !answer.data.step_url && !abort.signal.aborted) answer = await proveAndJoin(level);
      if (!answer) return;
      const away = answer.data.room_url ?? answer.data.step_url;
      if (away) return toRoom(away);
      if (answer.code === 'INVITATION_INVALID') write(local, INVITATION, null);
      const session = answer.data.session_id;
      if (session && (answer.ok || answer.code === 'ALREADY_IN_QUEUE')) return keep(session);
      problem(answer);
      refreshSoon();
    } catch (failure) {
      if (!abort.signal.aborted) problem({ message: failure instanceof Error ? t('check.failed') : failure.message });
    }
    state.check = null;
    redraw();
  },

  stopCheck() {
    abort.abort();
    state.check = null;
    redraw();
  },

  async leave() {
    const passes = stage() === 'ready' && saleNow() !== 'paused';
    if (!(await confirmed(t('leave.ask'), sentences(t('leave.more'), onEnd(passes)), t('leave.yes'), t('leave.no')))) return;
    if (!state.place || state.order) return;
    const answer = await api('POST', 'queue/leave', { body: {} });
    if (answer.ok || answer.status === 404 || answer.code === 'NOT_IN_QUEUE') finish('left');
    else problem(answer);
  },

  async buy(quantity, amount) {
    if (state.busy) return;
    problem(null);
    state.busy = true;
    const saved = read(tab, BUY) ?? { key: randomKey(), body: { product_id: id, quantity, expected_amount: amount } };
    write(tab, BUY, saved);
    redraw();
    let renewed = false;
    for (let tries = 0; state.place && !state.order; ) {
      const soon = millis(state.status?.purchase_token_expires_at);
      if (soon && soon - now() < 1500) await follower.refresh();
      const token = state.status?.purchase_token;
      const answer = await purchase(saved, token && { purchase_token: token });
      if (answer.ok) return takeOrder({ deposit: state.deposit && saved.body.expected_amount - answer.data.amount, ...answer.data });
      if (answer.code === 'INVALID_PURCHASE_TOKEN' && !renewed) {
        renewed = true;
        await follower.refresh();
      } else if (answer.lost || answer.status === 429) {
        state.again = answer.lost;
        redraw();
        await wait(backOff(Math.min(3, tries++), answer.retryAfter));
      } else {
        write(tab, BUY, null);
        if (answer.code === 'PRICE_CHANGED') {
          Object.assign(state.product, answer.data, { price: answer.data.amount / quantity });
          shown = null;
        }
        problem(answer);
        if (answer.code === 'INSUFFICIENT_STOCK') refreshSoon();
        break;
      }
    }
    state.busy = false;
    state.again = false;
    follower?.refresh();
    redraw();
  },

  async pay() {
    const { payment_url: url } = state.order;
    if (url && /^https?:$/.test(new URL(url, location.href).protocol)) return location.assign(url);
    return settle('pay', { result: 'paid' });
  },

  async cancel() {
    if (await confirmed(t('pay.cancel.ask'), sentences(t('pay.cancel.more'), state.order.deposit && onEnd(true)), t('pay.cancel'), t('pay.cancel.no'))) await settle('cancel', {});
  },

  async copy(text, label) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      getSelection().selectAllChildren(panel.querySelector('code'));
      if (!document.execCommand('copy')) return;
    }
    say(label, t('order.copied'));
    announce(t('order.copied'));
    setTimeout(() => say(label, t('order.copy')), 2500);
  },
};

let productTimer = 0;
function refreshSoon() {
  clearTimeout(productTimer);
  productTimer = setTimeout(refreshProduct, 200);
}

async function refreshProduct() {
  if (document.visibilityState === 'visible' && stage() !== 'paid') {
    const before = saleNow();
    const answer = await call('GET', '/api/products/' + id);
    if (answer.code === 'CLIENT_BANNED') onBanned(answer);
    if (answer.ok) {
      state.ban = null;
      state.product = { ...state.product, ...answer.data };
      // Nothing is said over "It is your turn".
      if (before !== saleNow() && order[stage()] < order.ready) announce(stateText(state.product, saleNow(), now()));
      redraw();
    }
  }
  clearTimeout(productTimer);
  productTimer = setTimeout(refreshProduct, 8000 + Math.random() * 4000);
}

addEventListener('storage', (event) => {
  // Another window of this browser joined or left.
  const place = event.key === PLACE ? read(local, PLACE) : state.place;
  if (place?.session && place.session !== state.place?.session) keep(place.session);
});
document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && refreshOrder());

mendPictures();
redraw();
if (state.order) takeOrder(state.order);
else watch();
// Back from signing in, verifying or the waiting room: join without being asked again.
if (location.hash === JOIN_NOW) {
  const began = read(tab, RETURN);
  write(tab, RETURN, null);
  history.replaceState(null, '', location.pathname + location.search);
  const invitedIn = page.room ? !page.room.waits : began && now() - began < 1800000;
  if (invitedIn && stage() === 'idle' && ['open', 'scheduled'].includes(saleNow())) act.join();
}
setInterval(() => stage() !== 'checking' && redraw(), 500);
productTimer = setTimeout(refreshProduct, 3000);
