// The report of a sale: what was sold, to how many, how long people waited, and what happened.
import { h } from './dom.js';
import { money, number, span, t } from './text.js';
import { exactly, expect, facts, frame, part, table } from './console-ui.js';

const STATUSES = ['paid', 'pending', 'expired', 'cancelled', 'refunded'];
const STEPS = { open: 'opened', pause: 'paused', resume: 'resumed', close: 'closed', stock: 'stock_added', notice: 'message_sent' };

function what(incident) {
  if (incident.what === 'unmeasured') return t('console.report.unmeasured');
  const [method, path] = incident.what.split(' ');
  const act = path.split('/')[5];
  if (STEPS[act]) return t('console.live.' + STEPS[act]);
  return act ? incident.what : t(method === 'POST' ? 'console.report.created' : 'console.report.changed');
}

/** Bars of the waiting time by minute; the table below has the same numbers. */
function bars(minutes) {
  const most = Math.max(60, ...minutes.map((minute) => minute.wait_seconds ?? 0));
  return h('div', { class: 'bars', 'aria-hidden': 'true' }, minutes.slice(-240).map((minute) => {
    const bar = h('span', { class: minute.wait_seconds === null ? 'none' : '', title: exactly(minute.at) });
    bar.style.height = Math.max(2, (minute.wait_seconds ?? 0) / most * 100) + '%';
    return bar;
  }));
}

function waits(report) {
  const joined = report.minutes.filter((minute) => minute.joined > 0);
  if (joined.length === 0) return h('p', { class: 'nothing' }, t('console.report.no_minutes'));
  return [
    bars(joined),
    h('p', { class: 'soft' }, t('console.report.wait_more')),
    h('details', {}, h('summary', {}, t('console.report.by_minute')), table([
      { title: t('console.report.minute'), cell: (minute) => exactly(minute.at) },
      { title: t('console.report.joined'), number: true, cell: (minute) => minute.joined },
      { title: t('console.report.waited'), number: true, cell: (minute) => (minute.wait_seconds === null ? t('console.report.not_served') : minute.wait_seconds < 60 ? t('console.report.under_minute') : span(minute.wait_seconds)) },
      { title: t('console.report.admitted'), number: true, cell: (minute) => minute.admitted },
      { title: t('console.report.waiting'), number: true, cell: (minute) => minute.waiting },
    ], joined)),
  ];
}

const share = (part_, whole) => (whole > 0 ? new Intl.NumberFormat(document.documentElement.lang, { style: 'percent', maximumFractionDigits: 1 }).format(part_ / whole) : '\u2013');

export async function show({ ask, id }) {
  const report = expect(await ask('GET', '/products/' + id + '/report', undefined, { timeout: 40000 }));
  const cost = (minor) => money(minor, report);
  const orders = STATUSES.filter((status) => report.orders[status]).map((status) => ({ status, ...report.orders[status] }));
  const paid = report.orders.paid ?? { orders: 0, units: 0, amount: 0 };
  const ended = report.orders.refunded ?? { orders: 0, units: 0, amount: 0 };
  const returned = (report.refunds.done?.amount ?? 0) + (report.refunds.by_hand?.amount ?? 0);
  const refused = report.refusals.reduce((sum, each) => sum + each.refused, 0);
  const holders = [
    { name: t('console.report.devices'), ...report.shares.devices },
    { name: t('console.report.buyers'), ...report.shares.buyers },
    { name: t('console.report.networks'), ...report.shares.networks },
  ];
  return frame({
    title: t('console.report.title', { name: report.name }),
    more: report.state === 'closed' ? '' : t('console.report.running'),
    back: ['/console/sales/' + id, report.name],
    tools: [
      h('a', { class: 'button quiet small', href: '/api/admin/products/' + id + '/report.csv', download: 'sale-' + id + '.csv' }, t('console.report.csv')),
      h('button', { class: 'button quiet small', onclick: () => print() }, t('console.report.print')),
    ],
  },
  part(t('console.report.money'), facts([
    [t('console.report.sold'), number(paid.units) + ' / ' + number(report.total_stock)],
    [t('console.report.taken'), cost(paid.amount + ended.amount)],
    [t('console.report.returned'), cost(returned)],
    [t('console.report.net'), cost(paid.amount + ended.amount - returned)],
  ])),
  part(t('console.report.orders'), table([
    { title: t('console.report.status'), cell: (row) => t('console.report.status.' + row.status) },
    { title: t('console.report.orders'), number: true, cell: (row) => row.orders },
    { title: t('console.report.units'), number: true, cell: (row) => row.units },
    { title: t('console.report.amount'), number: true, cell: (row) => cost(row.amount) },
  ], orders, { empty: t('console.report.no_orders') })),
  part(t('console.report.waits'), waits(report)),
  part(t('console.report.refusals'), table([
    { title: t('console.report.reason'), cell: (row) => h('code', {}, row.reason) },
    { title: t('console.report.count'), number: true, cell: (row) => row.refused },
    { title: t('console.report.share'), number: true, cell: (row) => share(row.refused, refused) },
  ], report.refusals, { empty: t('console.report.no_refusals') }), h('p', { class: 'soft' }, t('console.report.refusals_more'))),
  part(t('console.report.shares'), table([
    { title: t('console.report.holder'), cell: (row) => row.name },
    { title: t('console.report.holders'), number: true, cell: (row) => row.holders },
    { title: t('console.report.units_known'), number: true, cell: (row) => number(row.units) + ' / ' + number(paid.units) },
    { title: t('console.report.most'), number: true, cell: (row) => (row.units > 0 ? number(row.most) + ' (' + share(row.most, row.units) + ')' : null) },
    { title: t('console.report.top_ten'), number: true, cell: (row) => share(row.top_ten, row.units) },
  ], holders), h('p', { class: 'soft' }, t('console.report.shares_more'))),
  part(t('console.report.incidents'), table([
    { title: t('console.report.when'), cell: (row) => exactly(row.at) + (row.until ? ' \u2013 ' + exactly(row.until) : '') },
    { title: t('console.report.what'), cell: what },
    { title: t('console.report.who'), cell: (row) => row.operator || null },
  ], report.incidents, { empty: t('console.report.no_incidents') }), h('p', { class: 'soft' }, t('console.report.incidents_more'))));
}
