// The claim page: finds the order number in what is pasted, hints at slips before anything is sent, sends the form and
// shows the server's page in place. Without this module the same form works by itself.
import { h, icon, say } from './dom.js';
import { local } from './store.js';
import { fill, lang, page, sentences } from './text.js';

const words = (key, values = {}) => fill(page.words[key] ?? key, values);
const shapes = Object.entries(page.shapes).map(([name, pattern]) => [name, new RegExp('^(?:' + pattern + ')$')]);
const platformsOf = (text) => shapes.filter(([, shape]) => text.length <= 100 && shape.test(text)).map(([name]) => name);
const ofPlatform = (text) => platformsOf(text).some((name) => name !== 'generic');
/** A number in the case that its platform writes. */
const spelled = (text) => [text, text.toUpperCase(), text.toLowerCase()].find(ofPlatform) ?? text;
const sure = (text) => ofPlatform(spelled(text));
const called = (name) => page.words['platform.' + name] ?? name;

/** Full-width letters made plain, invisible ones dropped. */
const fold = (text) => text.normalize('NFKC').replace(/[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]/g, '');

const orderName = /(订单|訂單|单号|單號|编号|編號|(?<![a-z])orders?(?![a-z]))(?: *(?:number|no|nr|id)(?![a-z]))?/g;
const otherName = new RegExp(
  '(?:物流|快遞|快递|運單|运单|託運|托运|托運|貨運|货运|包裹|宅配|配送|寄件|追蹤|追踪|交易|支付|付款|發票|发票' +
  '|(?<![a-z])(?:tracking|parcel|waybill|shipment|shipping|delivery|invoice|transaction|payment))' +
  '(?:[的訂订單单編编號号碼码 .#]|(?:order|number|no|nr|id|code)(?![a-z]))*', 'g');

/** Where the last such name ends, if nothing but a gap follows; else -1. */
function nameEnd(name, before) {
  const last = [...before.matchAll(name)].at(-1);
  const end = last ? last.index + last[0].length : -1;
  return end >= 0 && /^[^a-z0-9]{0,16}$/.test(before.slice(end)) ? end : -1;
}

/** The order number in a text, as fairgate.redeem.orders.OrderText finds it; empty when there is none. */
export function findOrder(text) {
  return spelled(written(text));
}

function written(text) {
  const folded = fold(text.slice(0, 4000));
  const whole = folded.replace(/[\s'"]/g, '');
  if (sure(whole)) return whole;
  const before = (run) => folded.slice(Math.max(0, run.index - 40), run.index).toLowerCase();
  const runs = [...folded.matchAll(/[A-Za-z0-9_-]{6,100}/g)].filter((run) => {
    const other = nameEnd(otherName, before(run));
    return other < 0 || other < nameEnd(orderName, before(run));
  });
  const certain = runs.filter((run) => sure(run[0]));
  const named = (certain.length ? certain : runs).filter((run) =>
    /\d/.test(run[0]) && (/^order/i.test(run[0]) || nameEnd(orderName, before(run)) >= 0));
  if (named.length) return named[0][0];
  if (certain.length) return certain[0][0];
  return platformsOf(whole).length && /\d/.test(whole) && !/\s/.test(folded.trim()) ? whole : '';
}

/** What is likely wrong with a text without a number of a known platform; empty when nothing comes to mind. */
export function slip(text) {
  const tight = fold(text).replace(/[\s'"]/g, '');
  if (/^[\d.,]+e\+?\d+$/i.test(tight)) return words('slip.excel');
  const mixed = tight.match(/^(?=.*\d{6})[0-9OoIl]{15,22}$/);
  if (mixed && /[OoIl]/.test(tight)) return words('slip.letters', { letter: tight.match(/[OoIl]/)[0] });
  const digits = (tight.match(/\d{10,}/g) ?? []).sort((a, b) => b.length - a.length)[0];
  if (!digits) return '';
  if (digits.length === 20 && digits.endsWith('1') && sure(digits.slice(0, -1))) return words('slip.douyin');
  if (digits.length < 18 && digits.length > 11) return words('slip.short', { n: digits.length });
  return digits.length > 19 ? words('slip.long', { n: digits.length }) : '';
}

/** Whether a code can be right: {state: '' | 'open' | 'bad' | 'typo' | 'good', symbol, at}. */
export function judgeCode(text) {
  const code = fold(text).toUpperCase().replace(/[\s\p{Pd}\u2212\u2500\u30fc]/gu, '');
  const groups = page.mask.split('-');
  const prefix = /^X+$/.test(groups[0]) ? '' : groups.shift();
  const length = groups.join('').length;
  if (!code || !code.startsWith(prefix)) return { state: code && prefix && prefix.startsWith(code) ? 'open' : '' };
  const symbols = code.slice(prefix.length);
  for (let i = 0; i < Math.min(symbols.length, length); i++) {
    if (!page.alphabet.includes(symbols[i])) return { state: 'bad', symbol: symbols[i], at: prefix.length + i + 1 };
  }
  if (symbols.length !== length) return { state: symbols.length < length ? 'open' : '' };
  const sum = [...symbols].reduce((total, symbol, i) => total + (i + 1) * page.alphabet.indexOf(symbol), 0);
  return { state: sum % page.alphabet.length ? 'typo' : 'good' };
}

function showFound() {
  const box = document.getElementById('found');
  const text = document.getElementById('order').value;
  const order = text.trim() ? findOrder(text) : '';
  const of = platformsOf(order).filter((name) => name !== 'generic');
  const warning = text.trim() && !of.length ? slip(text) || (order ? '' : words('slip.none')) : '';
  box.hidden = !text.trim();
  if (box.hidden || box.dataset.told === order + warning) return;
  box.dataset.told = order + warning;
  box.className = 'found' + (warning ? ' warn' : '');
  const told = warning || words(of.length ? 'found' : 'found.generic', { platform: of.map(called).join(' / ') });
  box.replaceChildren(icon(warning ? 'alert' : 'check'), h('p', {}, told, !warning && h('br'), !warning && h('code', {}, order)));
}

function showCode() {
  const hint = document.getElementById('code-hint');
  const { state, symbol, at } = judgeCode(document.getElementById('code').value);
  hint.className = 'hint ' + ({ bad: 'warn', typo: 'warn', good: 'good' }[state] ?? '');
  say(hint, state === 'bad' ? words('code.symbol', { symbol, at }) : state === 'typo' || state === 'good' ? words('code.' + state) : '');
}

/** This browser as it calls itself to the API; the cookie is what counts. */
function deviceId() {
  let id = local.getItem('fairgate.device');
  if (!id) {
    id = 'web_' + Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, '0')).join('');
    local.setItem('fairgate.device', id);
  }
  return id;
}

const busy = (button, on) => {
  button.disabled = on;
  button.classList.toggle('busy', on);
};

function fail(form, text) {
  document.getElementById('problem')?.remove();
  const note = h('div', { class: 'note bad', id: 'problem', role: 'alert', tabindex: -1 }, icon('alert'), h('p', {}, text));
  form.before(note);
  note.focus();
}

async function send(event) {
  event.preventDefault();
  const form = event.target;
  const button = document.getElementById('send');
  const body = new URLSearchParams(new FormData(form));
  busy(button, true);
  try {
    const answer = await fetch('/claim', {
      method: 'POST', body, cache: 'no-store', headers: { Accept: 'text/html' }, signal: AbortSignal.timeout?.(20000),
    });
    const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const main = next.getElementById('main');
    if (!main) throw new Error('no page');
    document.getElementById('main').replaceChildren(...main.childNodes);
    document.body.dataset.stage = next.body.dataset.stage;
    document.title = next.title;
    begin();
    (document.getElementById('problem') ?? document.getElementById('title')).focus();
    scrollTo({ top: 0 });
  } catch {
    busy(button, false);
    fail(form, words('network'));
  }
}

async function activate(event) {
  event.preventDefault();
  const note = document.getElementById('activated');
  const button = document.getElementById('use');
  const code = document.getElementById('code').value;
  note.hidden = true;
  const { state } = judgeCode(code);
  if (state === 'bad' || state === 'typo') {
    showCode();
    document.getElementById('code').focus();
    return;
  }
  busy(button, true);
  let text = words('network');
  let good = false;
  try {
    const answer = await fetch('/api/redeem/activate', {
      method: 'POST', cache: 'no-store', signal: AbortSignal.timeout?.(20000),
      headers: { Accept: 'application/json', 'Accept-Language': lang, 'Content-Type': 'application/json' },
      body: JSON.stringify({ code, device_id: deviceId() }),
    });
    const data = await answer.json();
    good = answer.ok;
    const end = good && data.data.expires_at;
    text = sentences(data.message ?? text, end && words('until', { time: moment(end) }));
  } catch {
    good = false;
  }
  busy(button, false);
  note.className = 'note ' + (good ? 'good' : 'bad');
  note.hidden = false;
  note.replaceChildren(icon(good ? 'check' : 'alert'), h('p', {}, text));
}

const moment = (time) => new Intl.DateTimeFormat(lang, {
  year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', timeZoneName: 'short',
}).format(new Date(time));

async function copy() {
  const output = document.getElementById('the-code');
  let done = true;
  try {
    await navigator.clipboard.writeText(output.textContent);
  } catch {
    // On plain http there is no clipboard: select it, and try the old way.
    getSelection().selectAllChildren(output);
    done = document.execCommand('copy');
  }
  say(document.querySelector('#copy span'), words(done ? 'copied' : 'copy.by_hand'));
  say(document.getElementById('copied'), words(done ? 'copied' : 'copy.by_hand'));
}

/** Brings what the server has drawn to life. */
function begin() {
  const form = document.getElementById('claim');
  const order = document.getElementById('order');
  for (const time of document.querySelectorAll('time[datetime]')) say(time, moment(time.dateTime));
  const copier = document.getElementById('copy');
  if (copier) {
    copier.hidden = false;
    copier.addEventListener('click', copy);
  }
  if (!form) return;
  form.addEventListener('submit', send);
  order.addEventListener('input', showFound);
  // Under "we do not know this order", that a number was found in it would only confuse.
  if (order.getAttribute('aria-invalid') !== 'true') showFound();
  document.getElementById('activation').hidden = false;
  document.getElementById('code').addEventListener('input', showCode);
  document.getElementById('activate').addEventListener('submit', activate);
}

begin();
