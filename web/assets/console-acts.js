// Events of the audit log in plain words. An act of an operator and its result, two entries, are one line.
import { h } from './dom.js';
import { page, t } from './text.js';
import { badge, exactly, table } from './console-ui.js';

const MOST_PARTS = 6;

/** What an operator did, and to what: {text, about}. Parts of a path are words of the API or ids; a text has '_' for an id. */
function sentence(what) {
  const [method, path = ''] = what.split(' ');
  const parts = path.split('/').slice(3);
  for (let ids = 0; parts.length <= MOST_PARTS && ids < 2 ** parts.length; ids++) {
    const isId = (i) => (ids >> i) & 1;
    const name = 'console.act.' + [method.toLowerCase(), ...parts.map((part, i) => (isId(i) ? '_' : part))].join('.');
    if (page.text[name]) return { text: t(name), about: parts.filter((_, i) => isId(i)) };
  }
  return { text: what, about: [] };
}

/** The number of an order, as people read it out. */
const orderNumber = (id) => id.slice(-8, -4).toUpperCase() + '-' + id.slice(-4).toUpperCase();

const about = (id) => (/^order_\w+$/.test(id) ? h('a', { href: '/console/orders/' + id }, orderNumber(id)) : h('code', {}, id));

/** The reason of an act. Older entries have it in the recorded body only, which is text. */
export function reasonOf(event) {
  if (!event) return '';
  if (event.reason) return event.reason;
  try {
    return JSON.parse(event.body).reason ?? '';
  } catch {
    return '';
  }
}

/** What became of an act: the status of its answer, or the name of a failure. */
function resultOf({ event, kind }) {
  const result = kind === 'admin' ? event?.result : null;
  if (!result) return '\u2013';
  if (/^[23]/.test(result)) return badge(t('console.act.done'), 'good');
  if (/^4/.test(result) || result === 'InvalidRequest') return badge(t('console.act.refused', { status: /^4/.test(result) ? result : 400 }), 'warn');
  return badge(t('console.act.failed'), 'bad');
}

function told({ event, kind }) {
  if (!event) return t('console.appeals.erased');
  if (kind !== 'admin') return t('console.audit.kind.' + kind) + ' \u00b7 ' + (page.text['console.orders.status.' + event.what] ?? event.what);
  const { text, about: ids } = sentence(event.what);
  return h('span', { class: 'links' }, text, ids.map(about));
}

/** Entries as lines: what was recorded before an act and after it is one. */
export function lines(entries) {
  const acts = new Map();
  const all = [];
  for (const entry of entries) {
    const id = entry.kind === 'admin' && entry.event?.request_id;
    const known = acts.get(id);
    if (known) {
      known.event = { ...known.event, ...entry.event };
      known.at = Math.min(known.at, entry.at);
    } else {
      const line = { ...entry };
      if (id) acts.set(id, line);
      all.push(line);
    }
  }
  return all;
}

const columns = [
  { title: t('console.audit.what'), cell: told },
  { title: t('console.audit.result'), cell: resultOf },
  { title: t('console.audit.who'), cell: ({ event }) => h('span', { class: 'whole' }, event?.operator ?? '\u2013') },
  { title: t('console.reason'), cell: ({ event }) => h('span', { class: 'wraps' }, reasonOf(event) || '\u2013') },
  { title: t('console.audit.at'), cell: (each) => h('time', { datetime: new Date(each.at).toISOString() }, exactly(each.at)) },
];

/** A table of entries; more: further columns. */
export const auditTable = (entries, more = []) => table([...columns, ...more], lines(entries), { empty: t('console.audit.none'), caption: t('console.nav.audit') });
