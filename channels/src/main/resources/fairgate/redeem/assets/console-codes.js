// Redemption codes: search, stock, exports; the products and the imports of orders are modules of their own.
import { h } from './dom.js';
import { sentences, t } from './text.js';
import { act, badge, exactly, expect, facts, field, frame, lesson, pages, part, problemBox, refuse, table, toast, when } from './console-ui.js';
import { oneTime } from './console-operators.js';
import { tabs } from './console-people.js';

const STATES = ['available', 'assigned', 'activated', 'expired', 'revoked', 'replaced'];
const COLOURS = { available: 'scheduled', assigned: 'warn', activated: 'good', expired: 'closed', revoked: 'bad', replaced: 'closed' };

export async function show(context) {
  const [first, second] = context.path;
  if (first === 'products') return (await import('./console-redeem-products.js')).show(context, views(context, 'products'));
  if (first === 'imports') return (await import('./console-imports.js')).show(context, views(context, 'imports'));
  if (first === 'exports') return exportsOf(context);
  if (first === 'code') return one(context, second);
  return codes(context);
}

const views = ({ may }, chosen) => tabs(t('console.nav.codes'), chosen, [
  ['codes', t('console.nav.codes'), '/console/codes'],
  ['products', t('console.redeem.products'), '/console/codes/products'],
  ...(may('seller') ? [['imports', t('console.codes.imports'), '/console/codes/imports'], ['exports', t('console.codes.exports'), '/console/codes/exports']] : []),
]);

/** Sellers' codes have at least as many characters. */
const SHORTEST = 4;

const plain = (typed) => typed.normalize('NFKC').toUpperCase().replace(/[\s\p{Pd}\p{Cf}\u2212\u2500\u2022*]/gu, '');

/** The part of a code that the server keeps in clear: the last four characters, fewer of a short code. */
const lastOf = (code) => (code.length <= SHORTEST ? code : code.slice(-Math.min(4, Math.floor(code.length / 2))));

async function codes(context) {
  const { ask, query, go } = context;
  const { products } = expect(await ask('GET', '/redeem/stock'));
  const chosen = Object.fromEntries(['order_id', 'last4', 'state', 'product_id'].filter((name) => query.has(name)).map((name) => [name, query.get(name)]));
  const fields = [
    field({ name: 'order_id', label: t('console.codes.order'), type: 'search', value: chosen.order_id, autocomplete: 'off', spellcheck: 'false' }),
    field({ name: 'last4', label: t('console.codes.last4'), help: t('console.codes.last4_help'), value: chosen.last4, maxlength: 200, autocomplete: 'off', spellcheck: 'false', autocapitalize: 'characters' }),
    field({ name: 'state', label: t('console.webhooks.state'), type: 'select', value: chosen.state, options: [['', t('console.orders.any')], ...STATES.map((word) => [word, t('console.codes.state.' + word)])] }),
    field({ name: 'product_id', label: t('console.codes.product'), type: 'select', value: chosen.product_id, options: [['', t('console.orders.any')], ...products.map((each) => [each.product_id, each.product_id])] }),
  ];
  const box = problemBox();
  const submit = async (event) => {
    event.preventDefault();
    const typed = Object.fromEntries(fields.map((each) => [each.name, each.read()]));
    // A whole code is no part of an address.
    const code = plain(typed.last4 ?? '');
    if (code.length >= SHORTEST) {
      const answer = await ask('POST', '/redeem/codes/search', { redemption_code: typed.last4 });
      if (!answer.ok) return refuse(answer, [], box);
      const [found] = answer.data.codes;
      if (found) {
        toast(t('console.codes.whole_found'), 'good');
        return go('/console/codes/code/' + found.id);
      }
      if (code.length > SHORTEST) typed.missed = 'whole';
    }
    typed.last4 = lastOf(code);
    return go('/console/codes?' + new URLSearchParams(Object.entries(typed).filter(([, value]) => value)));
  };
  const load = async (after) => {
    const answer = expect(await ask('GET', '/redeem/codes?' + new URLSearchParams({ ...chosen, limit: 50, ...(after && { after }) })));
    return { rows: answer.codes, next: answer.after };
  };
  // Another code may end alike, and an act is one step away.
  const compared = chosen.last4 && h('p', { class: 'note warn' },
    sentences(query.has('missed') && t('console.codes.whole_missed'), t('console.codes.last4_compared', { last4: chosen.last4 })));
  const teaches = Object.keys(chosen).length === 0;
  const teach = () => lesson(t('console.codes.none_yet'), [t('console.redeem.step.product'), t('console.redeem.step.import'), t('console.redeem.step.claim')],
    h('a', { class: 'button primary', href: '/console/codes/products' }, t('console.redeem.products')));
  return frame({ title: t('console.nav.codes'), more: t('console.codes.more') }, views(context, 'codes'),
    products.length > 0 && part(t('console.codes.stock'), table(
      [
        { title: t('console.codes.product'), cell: (each) => each.product_id },
        { title: t('console.codes.left'), cell: (each) => each.codes_left, number: true },
        { title: t('console.codes.without'), cell: (each) => each.orders_without_code, number: true },
      ], products)),
    h('form', { class: 'part', role: 'search', onsubmit: submit }, h('div', { class: 'fields' }, fields.map((each) => each.node)),
      box, h('div', { class: 'tools' }, h('button', { class: 'button primary' }, t('console.orders.find')))),
    compared,
    await pages(load, (rows) => (teaches && rows.length === 0 ? teach() : table(
      [
        { title: t('console.codes.code'), cell: (each) => h('a', { href: '/console/codes/code/' + each.id }, '\u2022\u2022\u2022\u2022 ' + each.last4) },
        { title: t('console.webhooks.state'), cell: (each) => badge(t('console.codes.state.' + each.state), COLOURS[each.state]) },
        { title: t('console.codes.product'), cell: (each) => each.product_id },
        { title: t('console.codes.order'), cell: (each) => each.order_id },
        { title: t('console.orders.made'), cell: (each) => when(each.created_at) },
      ],
      rows, { empty: t('console.codes.none'), caption: t('console.nav.codes') }))));
}

async function one({ ask, refresh }, id) {
  const it = expect(await ask('GET', '/redeem/codes/' + encodeURIComponent(id)));
  const ended = ['revoked', 'replaced', 'expired'].includes(it.state);
  const step = (word) => act({
    title: t('console.codes.' + word + '_ask', { last4: it.last4 }), button: t('console.codes.' + word), danger: true, reason: true,
    lines: [
      facts([[t('console.codes.product'), it.product_id], [t('console.codes.order'), it.order_id]]),
      it.state === 'activated' && h('p', { class: 'note warn' }, t('console.codes.in_use')),
      t('console.codes.' + word + '_more'),
    ].filter(Boolean),
    run: ({ reason }) => ask('POST', '/redeem/codes/' + it.id + '/' + word, { reason }), done: t('console.codes.' + word + '_done', { last4: it.last4 }),
  }).then(async (data) => {
    if (data?.code) await oneTime(t('console.codes.new_code', { order: it.order_id }), data.code);
    if (data) refresh();
  });
  const other = (code, word) => h('a', { href: '/console/codes/code/' + code, id: word }, t('console.codes.' + word));
  const button = (word) => h('button', { class: 'button danger small', id: word, onclick: () => step(word) }, t('console.codes.' + word));
  return frame(
    { title: '\u2022\u2022\u2022\u2022 ' + it.last4, more: it.product_id, back: ['/console/codes', t('console.nav.codes')], tools: ended ? [] : [button('replace'), button('revoke')] },
    part(null, facts([
      [t('console.webhooks.state'), badge(t('console.codes.state.' + it.state), COLOURS[it.state])],
      [t('console.codes.order'), it.order_id], [t('console.orders.made'), when(it.created_at)],
      [t('console.codes.activated'), when(it.activated_at)], [t('console.codes.expires'), when(it.expires_at)],
      it.replaced_by && [t('console.codes.replaced_by'), other(it.replaced_by, 'open_new')], it.replaces && [t('console.codes.replaces'), other(it.replaces, 'open_old')],
    ])),
    part(t('console.orders.history'), h('ol', { class: 'history' }, it.events.map((event) => h('li', {},
      h('p', {}, h('strong', {}, t('console.codes.state.' + event.to)), ' · ', event.actor, event.reason ? ' · ' + event.reason : ''),
      h('p', { class: 'soft' }, exactly(Date.parse(event.at))))))));
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
