// The entrance of an event: scans tickets, and goes on while the server cannot be reached. The server decides; without it, this device
// verifies the signature, refuses what it knows to be used, and keeps its scans until they are sent.
import { call, now, randomKey } from './api.js';
import { readable, verify } from './console-check-in-ticket.js';
import { h, say } from './dom.js';
import { assets, lang, number, page, t } from './text.js';

const PRODUCT = page.product;
const API = '/api/admin/products/' + PRODUCT;
const WORKER = '/console/check-in/worker.js';
const CACHE = 'fairgate-check-in';
const ANSWER_MS = 3000;
const SYNC_MS = 5000;
const CAMERA_MS = 200;
const SAME_CODE_MS = 4000;
const MOST_CONFLICTS = 50;

/** What this device keeps under a name, across reloads. What does not fit is kept until the page is closed. */
function store(name, first) {
  const key = 'check-in.' + PRODUCT + '.' + name;
  let value;
  const read = () => {
    try {
      value = JSON.parse(localStorage.getItem(key)) ?? first;
    } catch {
      value = first;
    }
    return value;
  };
  read();
  return {
    get: () => value,
    read,
    set(next) {
      value = next;
      try {
        localStorage.setItem(key, JSON.stringify(next));
      } catch (problem) {
        console.warn('check-in: cannot keep ' + name, problem);
      }
    },
  };
}

/** Scans that the server has not got: [{ticket, scan, at, id}]. */
const queue = store('queue', []);
/** Scans of this device that the server refused afterwards: [{id, at, text}]. */
const conflicts = store('conflicts', []);
/** What must not be admitted: ticket id -> time of its check-in in ms, 0 for void and transferred tickets. */
const blocked = store('blocked', {});
const keys = store('keys', null);

let since = 0;
let link = 'online';
let counts = null;
let syncing = false;

const clock = (ms) => new Intl.DateTimeFormat(lang, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(ms);

const state = h('p', { class: 'badge good', id: 'link', role: 'status' });
const count = h('p', { class: 'soft', id: 'count' });
const waiting = h('p', { class: 'note warn', id: 'waiting', hidden: true });
const verdict = h('div', { class: 'verdict', id: 'verdict', role: 'alert' }, h('strong', {}, t('checkin.ready')), h('p', {}), h('p', {}));
const input = h('input', { id: 'code', name: 'code', autocomplete: 'off', autocapitalize: 'characters', spellcheck: 'false', 'aria-describedby': 'code-help', required: true });
const video = h('video', { playsinline: true, muted: true, hidden: true, 'aria-label': t('checkin.camera') });
const cameraButton = h('button', { class: 'button quiet', type: 'button', id: 'camera' }, t('checkin.camera'));
const cameraNote = h('p', { class: 'soft', id: 'camera-note', role: 'status' });
const problems = h('section', { class: 'part', id: 'conflicts', hidden: true });

function drawState() {
  const texts = { online: 'checkin.online', offline: 'checkin.offline', signed_out: 'checkin.signed_out' };
  state.className = 'badge ' + (link === 'online' ? 'good' : 'warn');
  const text = t(texts[link]);
  if (state.firstChild?.textContent !== text) {
    state.replaceChildren(h('span', {}, text), link === 'signed_out' && h('a', { href: '/console/sign-in?next=' + location.pathname }, t('checkin.sign_in')) || '');
  }
  const n = queue.get().length;
  waiting.hidden = n === 0;
  say(waiting, n ? t('checkin.waiting', { n: number(n) }) : '');
  say(count, counts ? t('checkin.count', { used: number(counts.used), valid: number(counts.valid) }) : '');
  const list = conflicts.get();
  problems.hidden = list.length === 0;
  problems.replaceChildren(...(list.length === 0 ? [] : [
    h('h2', {}, t('checkin.conflicts')),
    h('ul', {}, list.map((each) => h('li', {}, t('checkin.conflict', { code: readable(each.id), time: clock(each.at), what: each.text })))),
    h('button', { class: 'button quiet small', type: 'button', onclick: () => (conflicts.set([]), drawState()) }, t('checkin.conflicts.clear')),
  ]));
}

/** Shows the verdict of a scan. more: lines below it. */
function show(kind, text, ...more) {
  verdict.className = 'verdict ' + kind;
  const [first, ...lines] = verdict.children;
  first.textContent = text;
  lines.forEach((line, i) => say(line, more[i] ?? ''));
  navigator.vibrate?.(kind === 'good' ? 60 : [80, 60, 80]);
}

/** The reason of a refusal in words. */
function refusal(result, at) {
  return result === 'used' ? t('checkin.used', { time: clock(at) }) : t('checkin.' + result);
}

const ofOrder = (ticket) => (ticket ? t('checkin.ticket', { number: ticket.order_number, place: ticket.place }) : '');

/** The server cannot decide now: no connection, an outage, signed out, or too many requests. */
const isAway = (answer) => answer.lost || answer.status === 401 || answer.status === 429;

function noteLink(answer) {
  link = answer.ok || !isAway(answer) ? 'online' : answer.status === 401 ? 'signed_out' : 'offline';
}

const send = (scan) => call('POST', API + '/check-ins', { body: { ticket: scan.ticket, scan: scan.scan, at: scan.at }, timeout: ANSWER_MS });

function block(id, at) {
  if (id) blocked.set({ ...blocked.get(), [id]: at });
}

/** Checks one ticket: text of a QR code, or a typed code. */
async function check(text) {
  const scan = { ticket: text, scan: randomKey(), at: Math.round(now()) };
  if (link === 'online') {
    const answer = await send(scan);
    noteLink(answer);
    if (answer.ok) return decided(answer.data);
    if (!isAway(answer)) return show('bad', t('checkin.refused', { reason: answer.message }));
  }
  await decideHere(scan);
  drawState();
}

function decided({ result, ticket, holder }) {
  if (ticket) block(ticket.ticket_id ?? ticket.former_id, ticket.used_at ?? 0);
  if (result === 'admitted') {
    if (counts) counts.used += 1;
    show('good', t('checkin.admitted'), ofOrder(ticket), holder ? t('checkin.admitted.holder', { name: holder }) : '');
  } else {
    show('bad', refusal(result, ticket?.used_at), ofOrder(ticket), result === 'used' ? t('checkin.used.by', { name: ticket.used_by }) : '');
  }
  drawState();
}

/** Without the server: the signature must be right, and the ticket must not be known as used or void. */
async function decideHere(scan) {
  const found = await verify(scan.ticket, PRODUCT, keys.get());
  if (found.result !== 'valid') return show('bad', t('checkin.' + found.result));
  const known = blocked.get()[found.id];
  if (known !== undefined) return show('bad', known ? refusal('used', known) : t('checkin.replaced'));
  // Kept before anybody is let in.
  queue.set([...queue.read(), { ...scan, id: found.id }]);
  block(found.id, scan.at);
  show('good', t('checkin.admitted'), t('checkin.admitted.offline'));
}

/** Sends the scans that wait, oldest first. A repeat of a scan gets the same answer. */
async function flush() {
  while (queue.read().length > 0) {
    const [scan] = queue.get();
    const answer = await send(scan);
    noteLink(answer);
    if (isAway(answer)) return;
    // Another tab may have sent it, too.
    queue.set(queue.read().filter((each) => each.scan !== scan.scan));
    const result = answer.ok ? answer.data.result : '';
    if (result !== 'admitted') {
      const text = answer.ok ? refusal(result, answer.data.ticket?.used_at) : answer.message;
      conflicts.set([...conflicts.get(), { id: scan.id, at: scan.at, text }].slice(-MOST_CONFLICTS));
    }
    drawState();
  }
}

/** What other devices checked in, and what was refunded or transferred. */
async function follow() {
  const changed = {};
  for (let after = ''; ;) {
    const answer = await call('GET', API + '/tickets?' + new URLSearchParams({ since, ...(after && { after }) }));
    noteLink(answer);
    if (!answer.ok) return;
    for (const ticket of answer.data.tickets) {
      if (ticket.used_at) changed[ticket.ticket_id] = ticket.used_at;
      else if (!ticket.valid) changed[ticket.ticket_id] = 0;
      if (ticket.former_id) changed[ticket.former_id] = 0;
    }
    after = answer.data.after;
    counts = { used: answer.data.used, valid: answer.data.valid };
    if (!after) {
      since = answer.data.next_since;
      break;
    }
  }
  if (Object.entries(changed).some(([id, at]) => blocked.get()[id] !== at)) blocked.set({ ...blocked.get(), ...changed });
}

async function sync() {
  if (syncing) return;
  syncing = true;
  try {
    await flush();
    await follow();
    if (link === 'online' && !keys.get()) {
      const answer = await call('GET', '/api/products/' + PRODUCT + '/ticket-keys');
      if (answer.ok) keys.set(answer.data.keys);
    }
  } finally {
    syncing = false;
    drawState();
  }
}

/** Reads QR codes with the camera until it is stopped. The same code counts again after some seconds only. */
async function camera() {
  if (video.srcObject) return stop();
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
  } catch {
    return say(cameraNote, t('checkin.camera.failed'));
  }
  say(cameraNote, '');
  video.srcObject = stream;
  video.hidden = false;
  cameraButton.textContent = t('checkin.camera.stop');
  await video.play();
  const detector = new BarcodeDetector({ formats: ['qr_code'] });
  let last = '';
  let lastAt = 0;
  while (video.srcObject === stream) {
    const [code] = await detector.detect(video).catch(() => []);
    if (code && (code.rawValue !== last || performance.now() - lastAt > SAME_CODE_MS)) {
      last = code.rawValue;
      await check(last);
      lastAt = performance.now();
    }
    await new Promise((resolve) => setTimeout(resolve, CAMERA_MS));
  }
}

function stop() {
  for (const track of video.srcObject.getTracks()) track.stop();
  video.srcObject = null;
  video.hidden = true;
  cameraButton.textContent = t('checkin.camera');
}

/** Keeps this page and its files for a start without a connection. */
async function keepPage() {
  if (!navigator.serviceWorker) return;
  await navigator.serviceWorker.register(WORKER);
  const files = performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.startsWith(location.origin + assets));
  const wanted = new Set([location.origin + location.pathname, ...files, ...['icon.svg', 'icons.svg'].map((name) => location.origin + assets + '/' + name)]);
  const cache = await caches.open(CACHE);
  await cache.addAll([...wanted]);
  for (const request of await cache.keys()) {
    const old = request.url.includes('/assets/') && !request.url.startsWith(location.origin + assets);
    if (old) await cache.delete(request);
  }
}

const canScan = 'BarcodeDetector' in window && navigator.mediaDevices;
if (!canScan) say(cameraNote, t('checkin.camera.none'));
cameraButton.hidden = !canScan;
cameraButton.addEventListener('click', camera);

let busy = Promise.resolve();
const form = h('form', {
  class: 'check-in-form',
  onsubmit: (event) => {
    event.preventDefault();
    const text = input.value.trim();
    input.value = '';
    input.focus();
    // A hand scanner is faster than an answer: one after the other.
    if (text) busy = busy.then(() => check(text));
  },
},
h('div', { class: 'field' }, h('label', { for: 'code' }, t('checkin.code')), input, h('p', { class: 'soft', id: 'code-help' }, t('checkin.code.help'))),
h('button', { class: 'button primary', id: 'check' }, t('checkin.check')));

document.getElementById('entrance').replaceChildren(state, verdict, video, form, h('div', { class: 'tools' }, cameraButton), cameraNote, count, waiting, problems);
drawState();
// After the first draw, so that nothing waits for the network.
sync().then(keepPage).catch((problem) => console.warn('check-in: the page is not kept', problem));
setInterval(sync, SYNC_MS);
addEventListener('online', sync);
