// Redemption codes: search, stock, imports with their progress, exports.
import { h } from './dom.js';
import { number, t } from './text.js';
import { act, badge, every, exactly, expect, facts, field, frame, pages, part, table, when } from './console-ui.js';
import { tabs } from './console-people.js';

const STATES = ['available', 'assigned', 'activated', 'expired', 'revoked', 'replaced'];
const COLOURS = { available: 'scheduled', assigned: 'warn', activated: 'good', expired: 'closed', revoked: 'bad', replaced: 'closed' };
const IMPORT_COLOURS = { running: 'warn', done: 'good', failed: 'bad', undone: 'closed' };

export function show(context) {
  const [first, second] = context.path;
  if (first === 'imports') return imports(context);
  if (first === 'exports') return exportsOf(context);
  if (first === 'code') return one(context, second);
  return codes(context);
}

const views = ({ may }, chosen) => tabs(t('console.nav.codes'), chosen, [
  ['codes', t('console.nav.codes'), '/console/codes'],
  ...(may('seller') ? [['imports', t('console.codes.imports'), '/console/codes/imports'], ['exports', t('console.codes.exports'), '/console/codes/exports']] : []),
]);

async function codes(context) {
  const { ask, query, go } = context;
  const { products } = expect(await ask('GET', '/redeem/stock'));
  const chosen = Object.fromEntries(['order_id', 'last4', 'state', 'product_id'].filter((name) => query.has(name)).map((name) => [name, query.get(name)]));
  const fields = [
    field({ name: 'order_id', label: t('console.codes.order'), type: 'search', value: chosen.order_id, autocomplete: 'off', spellcheck: 'false' }),
    field({ name: 'last4', label: t('console.codes.last4'), value: chosen.last4, maxlength: 4, autocomplete: 'off', spellcheck: 'false', autocapitalize: 'characters' }),
    field({ name: 'state', label: t('console.webhooks.state'), type: 'select', value: chosen.state, options: [['', t('console.orders.any')], ...STATES.map((word) => [word, t('console.codes.state.' + word)])] }),
    field({ name: 'product_id', label: t('console.codes.product'), type: 'select', value: chosen.product_id, options: [['', t('console.orders.any')], ...products.map((each) => [each.product_id, each.product_id])] }),
  ];
  const submit = (event) => {
    event.preventDefault();
    go('/console/codes?' + new URLSearchParams(fields.map((each) => [each.name, each.read()]).filter(([, value]) => value)));
  };
  const load = async (after) => {
    const answer = expect(await ask('GET', '/redeem/codes?' + new URLSearchParams({ ...chosen, limit: 50, ...(after && { after }) })));
    return { rows: answer.codes, next: answer.after };
  };
  return frame({ title: t('console.nav.codes'), more: t('console.codes.more') }, views(context, 'codes'),
    products.length > 0 && part(t('console.codes.stock'), table(
      [
        { title: t('console.codes.product'), cell: (each) => each.product_id },
        { title: t('console.codes.left'), cell: (each) => each.codes_left, number: true },
        { title: t('console.codes.without'), cell: (each) => each.orders_without_code, number: true },
      ], products)),
    h('form', { class: 'part', role: 'search', onsubmit: submit }, h('div', { class: 'fields' }, fields.map((each) => each.node)),
      h('div', { class: 'tools' }, h('button', { class: 'button primary' }, t('console.orders.find')))),
    await pages(load, (rows) => table(
      [
        { title: t('console.codes.code'), cell: (each) => h('a', { href: '/console/codes/code/' + each.id }, '\u2022\u2022\u2022\u2022 ' + each.last4) },
        { title: t('console.webhooks.state'), cell: (each) => badge(t('console.codes.state.' + each.state), COLOURS[each.state]) },
        { title: t('console.codes.product'), cell: (each) => each.product_id },
        { title: t('console.codes.order'), cell: (each) => each.order_id },
        { title: t('console.orders.made'), cell: (each) => when(each.created_at) },
      ],
      rows, { empty: t('console.codes.none'), caption: t('console.nav.codes') })));
}

async function one({ ask, refresh }, id) {
  const it = expect(await ask('GET', '/redeem/codes/' + encodeURIComponent(id)));
  const ended = ['revoked', 'replaced', 'expired'].includes(it.state);
  const step = (word) => act({
    title: t('console.codes.' + word + '_ask', { last4: it.last4 }), lines: [t('console.codes.' + word + '_more')], button: t('console.codes.' + word), danger: true, reason: true,
    run: ({ reason }) => ask('POST', '/redeem/codes/' + it.id + '/' + word, { reason }), done: t('console.saved'),
  }).then((data) => data && refresh());
  const button = (word) => h('button', { class: 'button danger small', id: word, onclick: () => step(word) }, t('console.codes.' + word));
  return frame(
    { title: '\u2022\u2022\u2022\u2022 ' + it.last4, more: it.product_id, back: ['/console/codes', t('console.nav.codes')], tools: ended ? [] : [button('replace'), button('revoke')] },
    part(null, facts([
      [t('console.webhooks.state'), badge(t('console.codes.state.' + it.state), COLOURS[it.state])],
      [t('console.codes.order'), it.order_id], [t('console.orders.made'), when(it.created_at)],
      [t('console.codes.activated'), when(it.activated_at)], [t('console.codes.expires'), when(it.expires_at)],
    ])),
    part(t('console.orders.history'), h('ol', { class: 'history' }, it.events.map((event) => h('li', {},
      h('p', {}, h('strong', {}, t('console.codes.state.' + event.to)), ' · ', event.actor, event.reason ? ' · ' + event.reason : ''),
      h('p', { class: 'soft' }, exactly(Date.parse(event.at))))))));
}

async function imports(context) {
  const { ask, signal, refresh } = context;
  const list = h('div', {});
  const undo = (it) => act({
    title: t('console.codes.undo_ask', { file: it.file_name }), lines: [t('console.codes.undo_more')], button: t('console.codes.undo'), danger: true, typed: 'undo',
    run: () => ask('POST', '/orders/import/' + it.id + '/undo', undefined, { timeout: 60000 }), done: t('console.saved'),
  }).then((data) => data && refresh());
  const draw = async () => {
    const rows = expect(await ask('GET', '/orders/import')).imports;
    list.replaceChildren(table(
      [
        { title: t('console.codes.file'), cell: (each) => each.file_name + (each.dry_run ? ' (' + t('console.codes.dry_run') + ')' : '') },
        { title: t('console.webhooks.state'), cell: (each) => badge(t('console.codes.import.' + (each.undone_at ? 'undone' : each.state)), IMPORT_COLOURS[each.undone_at ? 'undone' : each.state]) },
        { title: t('console.codes.progress'), cell: (each) => h('span', { class: 'share' }, h('progress', { max: Math.max(1, each.rows_total ?? 1), value: each.rows_done, 'aria-label': t('console.codes.progress') }), number(each.rows_done) + ' / ' + (each.rows_total == null ? '?' : number(each.rows_total))) },
        { title: t('console.codes.added'), cell: (each) => each.added, number: true },
        { title: t('console.codes.updated'), cell: (each) => each.updated, number: true },
        { title: t('console.codes.refused'), cell: (each) => (each.refused ? h('a', { href: '/api/admin/orders/import/' + each.id + '/errors.csv', download: '' }, number(each.refused)) : 0), number: true },
        { title: t('console.orders.made'), cell: (each) => when(each.started_at) },
        { title: t('console.acts'), cell: (each) => each.state === 'done' && !each.dry_run && !each.undone_at ? h('button', { class: 'button danger small', onclick: () => undo(each) }, t('console.codes.undo')) : '\u2013' },
      ],
      rows, { empty: t('console.codes.no_imports'), caption: t('console.codes.imports') }));
  };
  await every(3000, signal, draw);
  return frame({ title: t('console.codes.imports'), more: t('console.codes.imports_more') }, views(context, 'imports'), list);
}

async function exportsOf(context) {
  const { ask } = context;
  const { exports: rows } = expect(await ask('GET', '/redeem/exports'));
  return frame(
    { title: t('console.codes.exports'), more: t('console.codes.exports_more'), tools: [h('a', { class: 'button quiet small', href: '/api/admin/redeem/export', download: '' }, t('console.codes.export_masked'))] },
    views(context, 'exports'),
    table(
      [
        { title: t('console.audit.who'), cell: (each) => each.actor },
        { title: t('console.codes.kind'), cell: (each) => badge(t(each.masked ? 'console.codes.masked' : 'console.codes.full'), each.masked ? 'good' : 'bad') },
        { title: t('console.reason'), cell: (each) => each.reason || '\u2013' },
        { title: t('console.codes.count'), cell: (each) => each.codes, number: true },
        { title: t('console.audit.at'), cell: (each) => when(each.begun_at) },
      ],
      rows, { empty: t('console.codes.no_exports'), caption: t('console.codes.exports') }));
}
