// Words, numbers and times in the language and with the dictionary that the server put into the page.
export const page = JSON.parse(document.getElementById('page').textContent);
export const lang = document.documentElement.lang;
export const assets = page.assets;

const plain = new Intl.NumberFormat(lang);
const amounts = new Map();

/** A text with {names} filled in; a blank parts a digit from the Chinese character behind it. */
export const fill = (text, values) => text.replace(/\{(\w+)\}(?=(\p{sc=Han}?))/gu, (whole, name, next) => {
  const value = String(values[name] ?? whole);
  return next && /\d$/.test(value) ? value + ' ' : value;
});

/** The text for a key, with {names} filled in. */
export const t = (key, values = {}) => fill(page.text[key] ?? key, values);

/** Sentences in a row, the empty ones left out; Chinese has no blank between them. */
export const sentences = (...all) => all.filter(Boolean).join(lang.startsWith('zh') ? '' : ' ');

export const number = (n) => plain.format(n);

/** Minor units: 9900 TWD -> NT$99. The decimals are the server's; browsers know others. */
export function money(minor, { currency, currency_exponent: n }) {
  if (!amounts.has(currency)) {
    amounts.set(currency, new Intl.NumberFormat(lang, { style: 'currency', currency, minimumFractionDigits: n, trailingZeroDisplay: 'stripIfInteger' }));
  }
  const parts = amounts.get(currency).formatToParts(minor / 10 ** n);
  // A reader in Taiwan would be shown a bare dollar sign.
  return parts.map(({ type, value }) => (type === 'currency' && currency === 'TWD' ? 'NT$' : value)).join('');
}

/** A text about a deposit; empty where there is none for it. */
export const depositText = (deposit, key) => (page.text['deposit.' + key] ? t('deposit.' + key, { amount: money(deposit.amount, deposit) }) : '');

const unit = (n, name) => new Intl.NumberFormat(lang, { style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: 1 })
  .format(n).replace(/(\d)(?=\p{sc=Han})/u, '$1 ');

/** A length of time in words, rounded: 45 sec, 3 min, 1.3 hr. */
export function span(seconds) {
  if (seconds < 60) return unit(Math.max(1, Math.ceil(seconds)), 'second');
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return unit(minutes, 'minute');
  return minutes < 2880 ? unit(minutes / 60, 'hour') : unit(minutes / 1440, 'day');
}

/** An estimate of seconds, small ones not to the second; most = the longest wait while nothing was measured, if any. */
export function estimate(seconds, most) {
  if (!(seconds >= 0)) return most ? t('wait.at_most', { time: span(most) }) : '\u2013';
  return seconds < 60 ? '< ' + unit(1, 'minute') : '\u2248 ' + span(seconds);
}

/** A running countdown: 4:05, 1:02:03, 2 days 03:04:05. */
export function clock(seconds) {
  const left = Math.max(0, Math.ceil(seconds));
  const two = (n) => String(n).padStart(2, '0');
  const days = Math.floor(left / 86400);
  const hours = Math.floor(left / 3600) % 24;
  const rest = two(Math.floor(left / 60) % 60) + ':' + two(left % 60);
  if (days) return unit(days, 'day') + ' ' + two(hours) + ':' + rest;
  return hours ? hours + ':' + rest : rest.replace(/^0/, '');
}

/** A moment in the visitor's own time zone, which it names. */
export const moment = (ms) =>
  new Intl.DateTimeFormat(lang, { weekday: 'short', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', timeZoneName: 'short' }).format(ms);

/** Milliseconds since the epoch of a number or an ISO instant; null when there is none. */
export function millis(value) {
  if (value === null || value === undefined || value === '' || value === 0) return null;
  const ms = typeof value === 'number' ? value : Date.parse(value);
  return Number.isFinite(ms) ? ms : null;
}

/** The state of a sale as a visitor sees it: scheduled, open, paused, sold_out or closed. */
export function saleState(product, at) {
  const opens = millis(product.opens_at);
  const closes = millis(product.closes_at);
  if (product.status === 'closed' || (closes && closes <= at)) return 'closed';
  if (product.status === 'paused') return 'paused';
  if (product.status === 'scheduled' || (opens && opens > at)) return 'scheduled';
  return product.remaining_stock === 0 ? 'sold_out' : 'open';
}

/** Whether everything is taken and more units are planned: their time in ms, else null. */
export const nextBatch = (product, state) => (state === 'sold_out' ? millis(product.next_batch_at) : null);

/** The state in words. */
export function stateText(product, state, at) {
  const opens = state === 'scheduled' && millis(product.opens_at);
  const more = nextBatch(product, state);
  if (!opens && !more) return t('state.' + state);
  const left = ((opens || more) - at) / 1000;
  return opens || left > 0 ? t(opens ? 'state.opens_in' : 'state.more_in', { time: clock(left) }) : t('state.more');
}

/** The free units in words; all units while the free ones are unknown. */
export function stockText(product, state) {
  const { remaining_stock: left, total_stock: total } = product;
  const taken = nextBatch(product, state) ? 'stock.more' : 'stock.none';
  return t(left ? 'stock.left' : left === 0 ? taken : 'stock.total', { left: number(left), total: number(total) });
}
