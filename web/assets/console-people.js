// People: who joins, buys and is refused most, and the decisions on risk with their reasons.
import { h } from './dom.js';
import { money, number, t } from './text.js';
import { act, badge, exactly, expect, field, frame, pages, part, table } from './console-ui.js';
import { ban, banDevice, saleNames } from './console-orders.js';

const HOUR = 3600000;
const ACTION_COLOURS = { pass: 'good', silent_check: 'good', challenge: 'warn', slider: 'warn', code: 'warn', passkey: 'warn', seat_behind: 'warn', hold: 'bad', refuse: 'bad' };

export function show(context) {
  return context.path[0] === 'decisions' ? decisions(context) : suspects(context);
}

/** Links between views of one page; chosen: the value of the current one. */
export const tabs = (label, chosen, options) => h('nav', { class: 'tabs', 'aria-label': label }, options.map(([value, text, address]) =>
  h('a', { href: address, 'aria-current': value === chosen ? 'page' : null }, text)));

const views = (chosen) => tabs(t('console.nav.people'), chosen, [
  ['suspects', t('console.people.suspects'), '/console/people'],
  ['decisions', t('console.people.decisions'), '/console/people/decisions'],
  ['appeals', t('console.nav.appeals'), '/console/appeals'],
  ['blocks', t('console.nav.blocks'), '/console/blocks'],
]);

/** The first characters of a hash, as people can read them out; the whole one is its title. */
export const short = (hash) => h('code', { title: hash }, hash.replaceAll(/[^a-z0-9]/gi, '').slice(0, 8).toUpperCase().replace(/(.{4})/, '$1-'));

const BROWSERS = [['Edg/', 'Edge'], ['OPR/', 'Opera'], ['SamsungBrowser', 'Samsung Internet'], ['MicroMessenger', 'WeChat'], ['Line/', 'LINE'], ['Firefox/', 'Firefox'], ['FxiOS', 'Firefox'], ['CriOS', 'Chrome'], ['HeadlessChrome', 'Headless Chrome'], ['Chrome/', 'Chrome'], ['Safari/', 'Safari']];
const SYSTEMS = [['Android', 'Android'], ['iPhone', 'iPhone'], ['iPad', 'iPad'], ['Windows', 'Windows'], ['Mac OS X', 'macOS'], ['CrOS', 'ChromeOS'], ['Linux', 'Linux']];

/** A user agent in two words, as it calls itself; of programs the beginning. */
function program(agent) {
  const first = (list) => list.find(([mark]) => agent.includes(mark))?.[1];
  return [first(BROWSERS), first(SYSTEMS)].filter(Boolean).join(' \u00b7 ') || agent.slice(0, 30);
}

function spent(line, sales) {
  if (!line.units) return '\u2013';
  const sale = sales.get(line.product_id);
  return [t('console.people.units', { n: number(line.units) }), sale && money(line.amount, sale)].filter(Boolean).join(' \u00b7 ');
}

async function suspects(context) {
  const { ask, query, go, may, refresh } = context;
  const by = query.get('by') ?? 'device';
  const sort = query.get('sort') ?? 'refusals';
  const hours = Number(query.get('hours') ?? 24);
  const [{ suspects: found }, { products }] = (await Promise.all([
    ask('GET', '/suspects?' + new URLSearchParams({ by, sort, limit: 50, from: Date.now() - hours * HOUR }), undefined, { timeout: 25000 }),
    ask('GET', '/products')])).map(expect);
  const sales = new Map(products.map((each) => [each.id, each]));
  const isHash = by !== 'reason';
  const choice = (name, value, words, key) => field({
    name, label: t('console.people.' + name), type: 'select', value, options: words.map((word) => [word, t('console.people.' + key + '.' + word)]),
    onchange: (event) => go('/console/people?' + new URLSearchParams({ by, sort, hours, [name]: event.target.value })),
  }).node;
  const most = Math.max(1, ...found.map((each) => each[sort]));
  const columns = [
    { title: t('console.people.by.' + by), cell: (each) => (isHash ? h('span', { class: 'links' }, short(each.name), by === 'device' && each.agent && h('span', { class: 'soft', title: each.agent }, program(each.agent))) : h('code', {}, each.name)) },
    by === 'device' && { title: t('console.people.network'), cell: (each) => each.network && (each.networks > 1 ? h('span', { class: 'links' }, short(each.network), h('span', { class: 'soft' }, '+' + number(each.networks - 1))) : short(each.network)) },
    ...['refusals', 'purchases', 'joins'].map((name) => ({
      title: t('console.people.sort.' + name), number: true,
      cell: (each) => name === sort ? h('span', { class: 'share' }, h('progress', { max: most, value: each[name], 'aria-hidden': 'true' }), number(each[name])) : each[name],
    })),
    isHash && { title: t('console.people.spent'), number: true, cell: (each) => spent(each, sales) },
    { title: t('console.people.last'), cell: (each) => exactly(each.last_at) },
    { title: t('console.acts'), cell: (each) => h('span', { class: 'links' },
      by === 'device' && h('button', { class: 'button danger small', 'data-ban': each.name, onclick: () => banDevice(ask, each.name).then((data) => data && refresh()) }, t('console.people.ban')),
      may('owner') && by !== 'network' && h('a', { href: '/console/audit?' + new URLSearchParams({ [by === 'device' ? 'device' : 'what']: each.name }) }, t('console.people.events'))) },
  ].filter(Boolean);
  return frame({ title: t('console.nav.people'), more: t('console.people.more') }, views('suspects'),
    h('div', { class: 'fields' },
      choice('by', by, ['device', 'network', 'reason'], 'by'),
      choice('sort', sort, by === 'reason' ? ['refusals'] : ['refusals', 'purchases', 'joins'], 'sort'),
      choice('hours', String(hours), ['1', '6', '24', '168'], 'hours')),
    table(columns, found, { empty: t('console.people.none'), caption: t('console.people.suspects') }),
    by === 'network' && addresses(context));
}

/** The addresses behind the networks: shown for a reason only, which is in the audit log before the reply. */
function addresses({ ask, refresh }) {
  const list = h('div', {});
  const reveal = () => act({
    title: t('console.people.reveal'), lines: [t('console.people.reveal_more')], button: t('console.people.reveal'), reason: true,
    run: ({ reason }) => ask('POST', '/hot-clients/reveal', { by: 'address', reason }),
  }).then((data) => data && list.replaceChildren(table(
    [
      { title: t('console.people.address'), cell: (each) => h('code', {}, each.address) },
      { title: t('console.people.sort.refusals'), cell: (each) => each.failures, number: true },
      { title: t('console.acts'), cell: (each) => h('button', { class: 'button danger small', onclick: () => ban(ask, 'ip', each.address, [t('console.people.address_more')]).then((done) => done && refresh()) }, t('console.people.ban')) },
    ],
    data.clients, { empty: t('console.people.none') })));
  return part(t('console.people.addresses'), h('p', { class: 'soft' }, t('console.people.addresses_more')), list,
    h('div', { class: 'tools' }, h('button', { class: 'button quiet small', onclick: reveal }, t('console.people.reveal'))));
}

// Decisions.

async function decisions(context) {
  const { ask, query, go } = context;
  const names = await saleNames(ask);
  const filter = Object.fromEntries(['product_id', 'device', 'reason', 'action'].filter((name) => query.has(name)).map((name) => [name, query.get(name)]));
  const shown = query.get('action') ?? (query.has('device') || query.has('all') ? '' : 'adverse');
  const days = filter.device ? 30 : 1;
  const load = async (after) => {
    const wanted = { ...filter, limit: 50, from: Date.now() - days * 24 * HOUR, ...(shown === 'adverse' && { adverse: true }), ...(after && { after }) };
    const answer = expect(await ask('GET', '/decisions?' + new URLSearchParams(wanted)));
    return { rows: answer.decisions, next: answer.after };
  };
  const open = (change) => {
    const next = new URLSearchParams({ ...filter, ...(shown === '' && { all: '1' }) });
    for (const [name, value] of Object.entries(change)) value ? next.set(name, value) : next.delete(name);
    go('/console/people/decisions?' + next);
  };
  const sale = field({ name: 'product_id', label: t('console.orders.sale'), type: 'select', value: filter.product_id, options: [['', t('console.orders.any')], ...names], onchange: (event) => open({ product_id: event.target.value }) });
  const action = field({
    name: 'action', label: t('console.people.action'), type: 'select', value: shown,
    options: [['adverse', t('console.people.adverse')], ['', t('console.orders.any')], ...Object.keys(ACTION_COLOURS).map((word) => [word, t('console.people.action.' + word)])],
    onchange: (event) => open(event.target.value === 'adverse' ? { action: '', all: '' } : { action: event.target.value, all: '1' }),
  });
  return frame({ title: t('console.people.decisions'), more: t('console.people.decisions_more') }, views('decisions'),
    h('div', { class: 'fields' }, sale.node, action.node),
    filter.device && h('p', { class: 'soft' }, t('console.people.of_device'), ' ', h('a', { href: '/console/people/decisions' }, t('console.orders.all'))),
    await pages(load, (rows) => decisionTable(context, rows, names)));
}

function decisionTable({ ask, refresh }, rows, names) {
  return table(
    [
      { title: t('console.audit.at'), cell: (each) => exactly(each.at) },
      { title: t('console.orders.sale'), cell: (each) => (names.get(each.product_id) ?? each.product_id) + ' · ' + t('console.people.route.' + each.route) },
      { title: t('console.people.action'), cell: (each) => h('span', { class: 'links' }, badge(t('console.people.action.' + each.action), ACTION_COLOURS[each.action]), !each.applied && h('span', { class: 'soft' }, t('console.people.observed'))) },
      { title: t('console.people.score'), cell: (each) => each.score, number: true },
      { title: t('console.people.reasons'), cell: (each) => reasons(each.reasons) },
      { title: t('console.people.outcome'), cell: (each) => each.outcomes.map((word) => t('console.people.outcome.' + word)).join(', ') || '\u2013' },
      { title: t('console.acts'), cell: (each) => h('span', { class: 'links' },
        each.device && h('a', { href: '/console/orders?device=' + encodeURIComponent(each.device) }, t('console.people.orders')),
        each.route === 'join' && h('button', { class: 'button quiet small', 'data-seat': each.decision_id, onclick: () => seat(ask, each).then((data) => data && refresh()) }, t('console.people.seat'))) },
    ],
    rows, { empty: t('console.people.no_decisions'), caption: t('console.people.decisions') });
}

const reasons = (all) => h('ul', { class: 'reasons' }, all.map(({ code, points }) => h('li', {}, h('code', {}, code), ' ', (points > 0 ? '+' : '') + points)));

/** Moves the place of a decision: behind all others, held, or back where it would have been. */
function seat(ask, decision) {
  const where = field({ name: 'seat', label: t('console.people.seat_where'), type: 'select', value: 'behind', options: ['behind', 'held', 'in_order'].map((word) => [word, t('console.people.seat.' + word)]) });
  return act({
    title: t('console.people.seat'), button: t('console.people.seat'), reason: true, fields: [where],
    preview: (values) => t('console.people.seat_effect.' + values.seat),
    run: ({ reason, values }) => ask('POST', '/products/' + decision.product_id + '/seats', { decision_id: decision.decision_id, seat: values.seat, reason }),
    done: t('console.saved'),
  });
}
