// Orders: search, one order with its history and its acts, and refunds that wait or failed.
import { randomKey } from './api.js';
import { h } from './dom.js';
import { money, sentences, t } from './text.js';
import { auditTable } from './console-acts.js';
import { act, badge, exactly, expect, facts, field, frame, pages, part, problemBox, table, toast, when } from './console-ui.js';

export const STATUSES = ['pending', 'paid', 'refunded', 'cancelled', 'expired'];
const STATUS_COLOURS = { paid: 'good', pending: 'warn', refunded: 'closed', cancelled: 'closed', expired: 'closed' };
const REFUND_COLOURS = { due: 'warn', waiting: 'warn', failed: 'bad', unplaced: 'bad', done: 'good', given_up: 'closed' };
const FILTERS = ['account', 'payment_id', 'user_id', 'device', 'product_id', 'status', 'from', 'to'];

/** What is typed or read out for an order: its id, or eight characters with or without a hyphen. */
const NUMBER = /^(order_\w+|[0-9a-z]{4}[\s-]?[0-9a-z]{4})$/i;
const TELEPHONE = /^\+?[\d\s()-]{8,20}$/;

const statusBadge = (status) => badge(t('console.orders.status.' + status), STATUS_COLOURS[status]);
const stateBadge = (state) => badge(t('console.orders.state.' + state), REFUND_COLOURS[state]);
const link = (address, text) => h('a', { href: address }, text);

/** The names of the sales by id. */
export async function saleNames(ask) {
  const { products } = expect(await ask('GET', '/products'));
  return new Map(products.map((product) => [product.id, product.name]));
}

export async function show(context) {
  const [first] = context.path;
  if (first === 'refunds') return refunds(context);
  return first ? order(context, first) : list(context);
}

// The list.

async function list(context) {
  const { ask, go, query } = context;
  const names = await saleNames(ask);
  const chosen = Object.fromEntries(FILTERS.filter((name) => query.has(name)).map((name) => [name, query.get(name)]));
  const typed = field({
    name: 'q', label: t('console.orders.search'), help: t('console.orders.search_help'), type: 'search',
    value: chosen.account ?? chosen.payment_id ?? '', autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', autofocus: true,
  });
  const any = [['', t('console.orders.any')]];
  const fields = [
    field({ name: 'product_id', label: t('console.orders.sale'), type: 'select', value: chosen.product_id, options: [...any, ...names] }),
    field({ name: 'status', label: t('console.orders.status'), type: 'select', value: chosen.status, options: [...any, ...STATUSES.map((status) => [status, t('console.orders.status.' + status)])] }),
    field({ name: 'from', label: t('console.orders.from'), type: 'datetime-local', value: chosen.from && Number(chosen.from) }),
    field({ name: 'to', label: t('console.orders.to'), type: 'datetime-local', value: chosen.to && Number(chosen.to) }),
  ];
  const box = problemBox();
  const results = h('div', { class: 'console-page' });
  const draw = (load) => pages(load, (rows) => orderTable(rows, names)).then((node) => results.replaceChildren(node));
  const submit = async (event) => {
    event.preventDefault();
    box.hidden = true;
    const found = await resolve(context, typed.read());
    if (found.problem) {
      box.hidden = false;
      box.textContent = found.problem;
    } else if (found.order) go('/console/orders/' + found.order);
    else if (found.load) await draw(found.load);
    else {
      const rest = Object.fromEntries(['user_id', 'device'].filter((name) => chosen[name] && !typed.read()).map((name) => [name, chosen[name]]));
      const values = Object.fromEntries(fields.map((each) => [each.name, each.read()]).filter(([, value]) => value));
      for (const name of ['from', 'to']) if (values[name]) values[name] = Date.parse(values[name]);
      go('/console/orders?' + new URLSearchParams({ ...values, ...rest, ...found.filter }));
    }
  };
  await draw(loader(ask, chosen));
  const filters = new URLSearchParams(chosen).toString();
  return frame(
    {
      title: t('console.nav.orders'), more: t('console.orders.more'),
      tools: [
        link('/console/orders/refunds', t('console.orders.refunds')),
        chosen.product_id && context.may('support') && h('a', { class: 'button quiet small', id: 'details-csv', href: '/api/admin/products/' + chosen.product_id + '/details.csv', download: '' }, t('console.orders.details.csv')),
        chosen.product_id && context.may('support') && h('button', { class: 'button quiet small', id: 'extend-all', onclick: () => extendAll(ask, chosen.product_id).then((data) => data && context.refresh()) }, t('console.orders.extend_all')),
        h('a', { class: 'button quiet small', href: '/api/admin/orders.csv' + (filters && '?' + filters), download: '' }, t('console.csv')),
      ],
    },
    h('form', { class: 'part', role: 'search', onsubmit: submit },
      typed.node,
      h('details', { open: fields.some(({ name }) => chosen[name]) }, h('summary', {}, t('console.orders.filters')), h('div', { class: 'fields' }, fields.map((each) => each.node))),
      (chosen.device || chosen.user_id) && h('p', { class: 'soft' }, t(chosen.device ? 'console.orders.of_device' : 'console.orders.of_buyer'), ' ', link('/console/orders', t('console.orders.all'))),
      box,
      h('div', { class: 'tools' }, h('button', { class: 'button primary' }, t('console.orders.find')))),
    results);
}

/** What a typed text means: an order, a filter, a list of a telephone, or nothing. */
async function resolve({ ask }, text) {
  if (!text) return { filter: {} };
  if (NUMBER.test(text)) {
    const found = await ask('GET', '/orders/' + encodeURIComponent(text));
    if (found.ok) return { order: found.data.order.order_id };
  }
  if (TELEPHONE.test(text)) {
    const first = await ask('POST', '/orders/search', { telephone: text });
    if (first.ok && first.data.orders.length) return { load: telephone(ask, text) };
  }
  const [payment, account] = await Promise.all(['payment_id', 'account'].map((name) => ask('GET', '/orders?limit=1&' + new URLSearchParams({ [name]: text }))));
  if (payment.ok && payment.data.orders.length) return { filter: { payment_id: text } };
  if (account.ok && account.data.orders.length) return { filter: { account: text } };
  const [deposit] = await depositsOf(ask, text);
  if (deposit?.order_id) return { order: deposit.order_id };
  if (deposit) return { problem: t('console.orders.deposit.alone', { amount: money(deposit.amount, deposit), sale: deposit.product_id, status: t('console.orders.deposit.' + (deposit.status === 'paid' ? 'held' : deposit.status)) }) };
  return { problem: payment.ok || account.ok ? t('console.orders.nothing', { text }) : payment.message };
}

/** The deposit with this id or payment id. */
async function depositsOf(ask, text) {
  const { ok, data } = await ask('GET', '/deposits?' + new URLSearchParams({ [/^order_/.test(text) ? 'deposit_id' : 'payment_id']: text }));
  return ok ? data.deposits : [];
}

// A telephone stays out of addresses, which browsers keep and servers log.
const telephone = (ask, number) => async (after) => {
  const { orders, after: next } = expect(await ask('POST', '/orders/search', { telephone: number, after, limit: 50 }));
  return { rows: orders, next };
};

const loader = (ask, filter) => async (after) => {
  const { orders, after: next } = expect(await ask('GET', '/orders?' + new URLSearchParams({ ...filter, limit: 50, ...(after && { after }) })));
  return { rows: orders, next };
};

export const orderTable = (orders, names) => table(
  [
    { title: t('console.orders.number'), cell: (each) => link('/console/orders/' + each.order_id, each.order_number) },
    { title: t('console.orders.status'), cell: (each) => statusBadge(each.status) },
    { title: t('console.orders.sale'), cell: (each) => names.get(each.product_id) ?? each.product_id },
    { title: t('console.orders.quantity'), cell: (each) => each.quantity, number: true },
    { title: t('console.orders.amount'), cell: (each) => money(each.amount, each), number: true },
    { title: t('console.orders.made'), cell: (each) => when(each.created_at) },
  ],
  orders,
  { empty: t('console.orders.none'), caption: t('console.nav.orders') });

// One order.

async function order(context, id) {
  const { ask, may, refresh } = context;
  const [answer, names] = await Promise.all([ask('GET', '/orders/' + encodeURIComponent(id)), saleNames(ask)]);
  const file = expect(answer);
  const { order: it } = file;
  const serve = may('support');
  const done = (data) => data && refresh();
  const content = serve && await ask('GET', '/products/' + it.product_id + '/content');
  const hasTickets = serve && (!content.ok || Boolean(content.data.content.tickets));
  const tools = [
    serve && (file.refundable_amount > 0 || isCounted(file.deposit)) && h('button', { class: 'button danger small', id: 'refund', onclick: () => refund(ask, file).then(done) }, t('console.orders.refund')),
    serve && it.status === 'pending' && h('button', { class: 'button danger small', id: 'cancel', onclick: () => cancel(ask, file).then(done) }, t('console.orders.cancel')),
    serve && it.status === 'pending' && h('button', { class: 'button quiet small', id: 'extend', onclick: () => extend(ask, file).then(done) }, t('console.orders.extend')),
    h('button', { class: 'button quiet small', id: 'note', onclick: () => note(ask, it, file.notes.length).then(done) }, t('console.orders.note')),
    serve && file.messages.length > 0 && h('button', { class: 'button quiet small', id: 'resend', onclick: () => resend(ask, file).then(done) }, t('console.orders.resend')),
    serve && file.receipts.length > 0 && h('button', { class: 'button quiet small', id: 'send-receipt', onclick: () => sendReceipt(ask, file).then(done) }, t('console.orders.send_receipt')),
    serve && file.receipts.length > 0 && h('button', { class: 'button quiet small', id: 'end-links', onclick: () => endLinks(ask, it).then(done) }, t('console.orders.end_links')),
    h('a', { class: 'button quiet small', href: '/o/' + it.order_id, target: '_blank', rel: 'noopener' }, t('console.orders.receipt')),
  ].filter(Boolean);
  for (const button of tools.filter((tool) => tool.id)) context.command(button.textContent, () => button.click());
  return frame(
    { title: t('console.orders.order', { number: it.order_number }), more: names.get(it.product_id) ?? it.product_id, tools, back: ['/console/orders', t('console.nav.orders')] },
    part(null, facts([
      [t('console.orders.status'), statusBadge(it.status)],
      file.deposit && [t('order.price'), money(it.amount + file.deposit.amount, it)],
      file.deposit && [t('console.orders.deposit'), money(file.deposit.amount, it) + ' \u00b7 ' + t('console.orders.deposit.' + file.deposit.status)],
      [t(file.deposit ? 'order.rest' : 'console.orders.amount'), money(it.amount, it)],
      [t('console.orders.quantity'), it.quantity],
      [t('console.orders.made'), when(it.created_at)],
      it.paid_at ? [t('console.orders.paid_at'), when(it.paid_at)] : it.status === 'pending' && [t('console.orders.pay_by'), when(it.pay_by)],
      file.refunded_amount > 0 && [t('console.orders.refunded'), money(file.refunded_amount, it)],
      file.refundable_amount > 0 && file.refundable_amount < it.amount && [t('console.orders.refundable'), money(file.refundable_amount, it)],
      [t('console.orders.payment_id'), it.payment_id],
      [t('console.orders.id'), it.order_id],
    ])),
    buyer(context, file),
    details(context, file),
    hasTickets && tickets(context, it),
    file.refunds.length > 0 && part(t('console.orders.refunds_of'), refundTable(context, file.refunds, { own: true })),
    file.disputes.length > 0 && part(t('console.orders.disputes'), disputeTable(file.disputes)),
    file.notes.length > 0 && part(t('console.orders.notes'), h('ul', { class: 'history' }, file.notes.map((each) => h('li', {}, h('p', { class: 'wraps' }, each.note), h('p', { class: 'soft' }, each.actor, ' · ', when(each.at)))))),
    part(t('console.orders.history'), history(file.events, it)),
    part(t('console.orders.receipts'), receipts(file.receipts)),
    part(t('console.orders.messages'), messages(file.messages)),
    part(t('console.orders.acts'), auditTable(file.audit)));
}

/** Who bought, the other orders of the same buyer and browser, and how to keep the browser out. */
function buyer({ may, ask, refresh }, { order: it, audit }) {
  const device = audit.map((entry) => entry.event?.kind === 'purchase' && entry.event.device).find(Boolean);
  return part(t('console.orders.buyer'),
    facts([
      [t('console.orders.buyer_id'), it.user_id],
      [t('console.orders.same'), h('span', { class: 'links' },
        link('/console/orders?user_id=' + encodeURIComponent(it.user_id), t('console.orders.same_buyer')),
        it.device && link('/console/orders?device=' + encodeURIComponent(it.device), t('console.orders.same_device')))],
      may('support') && it.device && [t('console.orders.decisions'), link('/console/people/decisions?' + new URLSearchParams({ product_id: it.product_id, device: it.device }), t('console.orders.decisions_see'))],
    ]),
    may('support') && device && h('div', { class: 'tools' },
      h('button', { class: 'button danger small', id: 'ban', onclick: () => banDevice(ask, device).then((data) => data && refresh()) }, t('console.people.ban'))));
}

/** What the buyer gave. It is read on demand only, because each reading is recorded. */
function details({ ask, may, refresh }, { order: it, buyer_details: state }) {
  if (state === 'none') return false;
  const address = '/orders/' + it.order_id + '/details';
  const box = h('div', {}, h('p', { class: 'soft' }, t('console.orders.details.' + state)));
  const reveal = async () => {
    const answer = await ask('GET', address);
    if (!answer.ok) return toast(answer.message, 'bad');
    const { fields, values, readable } = answer.data;
    const names = new Map(fields.map(({ key, kind, label }) => [key, label || t('console.sale.ask.' + kind)]));
    box.replaceChildren(readable
      ? facts(Object.entries(values).map(([key, value]) => [names.get(key) ?? key, h('span', { class: 'lines' }, value)]))
      : h('p', { class: 'note bad' }, t('console.orders.details.unreadable')));
    return undefined;
  };
  const erase = () => act({
    title: t('console.orders.details.erase_ask', { number: it.order_number }), lines: [t('console.orders.details.erase_more')],
    button: t('console.orders.details.erase'), danger: true, reason: true,
    run: ({ reason }) => ask('DELETE', address + '?' + new URLSearchParams({ reason })), done: t('console.orders.details.erased'),
  }).then((data) => data && refresh());
  return part(t('console.orders.details'), box, state === 'given' && may('support') && h('div', { class: 'tools' },
    h('button', { class: 'button quiet small', id: 'reveal', onclick: reveal }, t('console.orders.details.show')),
    h('button', { class: 'button danger small', id: 'erase', onclick: erase }, t('console.orders.details.erase'))));
}

/** The tickets of the order. They are read on demand only, because each reading is recorded. */
function tickets({ ask }, it) {
  if (!['paid', 'refunded'].includes(it.status)) return false;
  const box = h('div', {}, h('p', { class: 'soft' }, t('console.orders.tickets.more')));
  const reveal = async () => {
    const answer = await ask('GET', '/orders/' + it.order_id + '/tickets');
    if (!answer.ok) return toast(answer.message, 'bad');
    const state = (each) => (each.used_at ? t('console.orders.tickets.used', { name: each.used_by }) : t('console.orders.tickets.' + (each.valid ? 'valid' : 'void')));
    box.replaceChildren(table(
      [
        { title: t('console.orders.tickets.place'), cell: (each) => each.place },
        { title: t('checkin.code'), cell: (each) => h('code', {}, each.ticket_id.toUpperCase().match(/.{4}/g).join('-')) },
        { title: t('console.orders.status'), cell: (each) => badge(state(each), each.used_at ? 'scheduled' : each.valid ? 'good' : 'bad') },
        { title: t('console.orders.tickets.at'), cell: (each) => when(each.used_at) },
        { title: t('console.orders.tickets.transferred'), cell: (each) => t('console.orders.tickets.' + (each.former_id ? 'yes' : 'no')) },
      ],
      answer.data.tickets, { empty: t('console.orders.tickets.none'), caption: t('console.orders.tickets') }));
    return undefined;
  };
  return part(t('console.orders.tickets'), box, h('div', { class: 'tools' },
    h('button', { class: 'button quiet small', id: 'show-tickets', onclick: reveal }, t('console.orders.details.show'))));
}

/** Bans a browser by its keyed name. */
export const banDevice = (ask, device, lines = []) => ban(ask, 'device', device, lines);

/** Bans a subject for a time. The time has no default without an end: a mistake ends by itself. */
export function ban(ask, kind, value, lines = []) {
  const options = [['3600', 'hour'], ['86400', 'day'], ['604800', 'week'], ['2592000', 'month'], ['', 'forever']].map(([seconds, name]) => [seconds, t('console.people.for.' + name)]);
  const length = field({ name: 'duration_seconds', label: t('console.people.duration'), type: 'select', value: '86400', options });
  return act({
    title: t('console.people.ban_ask', { kind: t('console.people.kind.' + kind) }),
    lines: [...lines, t('console.people.ban_more'), value], button: t('console.people.ban'), danger: true, reason: true, fields: [length],
    run: ({ reason, values }) => ask('POST', '/bans', { effect: 'ban', kind, value, reason, ...(values.duration_seconds && { duration_seconds: Number(values.duration_seconds) }) }),
    async look({ reason }) {
      const { ok, data } = await ask('GET', '/bans?' + new URLSearchParams({ effect: 'ban', kind, value, limit: 1 }));
      return ok ? data.bans[0]?.reason === reason : null;
    },
  }).then((entry) => {
    const allowed = entry?.overridden_by;
    if (entry) toast(allowed ? t('console.people.overridden', { id: allowed }) : t('console.people.banned'), allowed ? 'bad' : 'good');
    return entry;
  });
}

/** Whether a refund of the order returns a deposit. */
const isCounted = (deposit) => deposit?.status === 'counted';

/** Refunds all that is left, or a part. One key for each dialog: a repeat of a call that got lost is no second refund. */
function refund(ask, file) {
  const { order: it, refundable_amount: left, deposit } = file;
  const places = it.currency_exponent;
  const cost = (amount) => money(amount, it);
  const key = randomKey();
  const what = field({ name: 'what', label: t('console.orders.refund_what'), type: 'select', value: 'all', options: [
    ['all', t('console.orders.refund_all', { amount: cost(left + (isCounted(deposit) ? deposit.amount : 0)) })], left > 0 && ['part', t('console.orders.refund_part')]].filter(Boolean) });
  const amount = field({ name: 'amount', label: t('console.orders.refund_amount', { currency: it.currency }), type: 'number', min: 1 / 10 ** places, max: left / 10 ** places, step: 1 / 10 ** places, inputmode: 'decimal' });
  const choose = () => {
    amount.node.hidden = what.read() !== 'part';
    amount.control.disabled = amount.node.hidden;
    amount.control.required = !amount.node.hidden;
  };
  what.control.addEventListener('input', choose);
  choose();
  const minor = (value) => Math.round(value * 10 ** places);
  return act({
    title: t('console.orders.refund_ask', { number: it.order_number }), button: t('console.orders.refund'), danger: true, reason: true,
    fields: [what, amount],
    preview: ({ what: kind, amount: value }) => kind === 'all'
      ? sentences(t('console.orders.refund_all_effect', { amount: cost(left), quantity: it.quantity }), isCounted(deposit) && t('console.orders.deposit.refund', { amount: cost(deposit.amount) }))
      : minor(value) > left ? t('console.orders.refund_too_much', { left: cost(left) })
      : value > 0 ? t('console.orders.refund_part_effect', { amount: cost(minor(value)), left: cost(left - minor(value)) }) : '',
    run: async ({ reason, values }) => {
      const answer = values.what === 'all'
        ? await ask('POST', '/orders/' + it.order_id + '/refund', { reason })
        : await ask('POST', '/orders/' + it.order_id + '/refund', { reason, amount: minor(values.amount) }, { headers: { 'Idempotency-Key': key } });
      if (answer.ok) await recorded(ask, file);
      return answer;
    },
    done: t('console.orders.refund_done'), look: looks(ask, file, (now) => now.refundable_amount < left || now.order.status !== it.status),
  });
}

/** Says whether an order is changed in the way that test(file) tells; null when it cannot be read. */
const looks = (ask, { order: it }, test) => async () => {
  const { ok, data } = await ask('GET', '/orders/' + it.order_id);
  return ok ? test(data) : null;
};

/** Waits until the ledger has a change, a moment after the reply, so that the page shows it; two seconds at most. */
async function recorded(ask, { order: it, refundable_amount: left }) {
  for (let i = 0; i < 10; i++) {
    const { ok, data } = await ask('GET', '/orders/' + it.order_id);
    if (ok && (data.order.status !== it.status || data.refundable_amount !== left)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function cancel(ask, file) {
  const { order: it } = file;
  return act({
    title: t('console.orders.cancel_ask', { number: it.order_number }), lines: [t('console.orders.cancel_more', { quantity: it.quantity })],
    button: t('console.orders.cancel'), keep: t('console.orders.keep'), danger: true, reason: true,
    run: async ({ reason }) => {
      const answer = await ask('POST', '/orders/' + it.order_id + '/cancel', { reason });
      if (answer.ok) await recorded(ask, file);
      return answer;
    },
    done: t('console.orders.cancel_done'), look: looks(ask, file, ({ order: now }) => now.status === 'cancelled'),
  });
}

const minutes = () => field({ name: 'minutes', label: t('console.orders.extend_minutes'), type: 'number', value: '30', min: 1, max: 1440, step: 1, required: true, inputmode: 'numeric' });

const extend = (ask, { order: it }) => act({
  title: t('console.orders.extend_ask', { number: it.order_number }), lines: [t('console.orders.extend_more')],
  button: t('console.orders.extend'), reason: true, fields: [minutes()],
  run: ({ reason, values }) => ask('POST', '/orders/' + it.order_id + '/extend', { minutes: Number(values.minutes), reason }), done: t('console.orders.extend_done'),
  look: looks(ask, { order: it }, ({ order: now }) => Date.parse(now.pay_by) > Date.parse(it.pay_by)),
});

/** All unpaid orders of a sale. */
const extendAll = (ask, product) => act({
  title: t('console.orders.extend_all_ask'), lines: [t('console.orders.extend_all_more')],
  button: t('console.orders.extend_all'), reason: true, fields: [minutes()],
  run: ({ reason, values }) => ask('POST', '/products/' + product + '/extend-payments', { minutes: Number(values.minutes), reason }), done: t('console.orders.extend_all_done'),
});

const note = (ask, it, before) => act({
  title: t('console.orders.note'), lines: [t('console.orders.note_more')], button: t('console.save'),
  fields: [field({ name: 'note', label: t('console.orders.note_text'), type: 'textarea', required: true, maxlength: 2000 })],
  run: ({ values }) => ask('POST', '/orders/' + it.order_id + '/notes', { note: values.note }), done: t('console.saved'),
  look: looks(ask, { order: it }, (now) => now.notes.length > before),
});

const resend = (ask, { order: it, messages: sent }) => act({
  title: t('console.orders.resend'), lines: [t('console.orders.resend_more', { type: sent.at(-1).type })], button: t('console.orders.resend'), reason: true,
  run: ({ reason }) => ask('POST', '/orders/' + it.order_id + '/resend', { reason }), done: t('console.orders.resend_done'),
});

function sendReceipt(ask, { order: it, receipts: sent }) {
  const unreachable = sent.at(-1).state === 'no_contact';
  return act({
    title: t('console.orders.send_receipt'), lines: [t(unreachable ? 'console.orders.send_receipt_nowhere' : 'console.orders.send_receipt_more')], button: t('console.orders.send_receipt'), reason: true,
    run: ({ reason }) => ask('POST', '/orders/' + it.order_id + '/receipt', { reason }), done: t(unreachable ? 'console.orders.send_receipt_tried' : 'console.orders.send_receipt_done'),
  });
}

const endLinks = (ask, it) => act({
  title: t('console.orders.end_links'), lines: [t('console.orders.end_links_more')], button: t('console.orders.end_links'), reason: true,
  run: ({ reason }) => ask('POST', '/orders/' + it.order_id + '/end-links', { reason }), done: t('console.orders.end_links_done'),
});

// The outcome of these events is in their name.
const OUTCOMES = { reserved: 'pending', extended: 'pending', confirmed: 'paid', refunded: 'refunded' };

const history = (events, it) => h('ol', { class: 'history' }, events.map((event) => h('li', {},
  h('p', {}, h('strong', {}, t('console.orders.event.' + event.kind)), ' ', OUTCOMES[event.kind] !== event.status && statusBadge(event.status),
    event.refund_amount ? ' ' + money(event.refund_amount, it) : '', event.reason ? ' · ' + event.reason : '', event.payment_id ? ' · ' + event.payment_id : ''),
  h('p', { class: 'soft' }, exactly(event.at)))));

const messages = (sent) => table(
  [
    { title: t('console.webhooks.type'), cell: (each) => each.type },
    { title: t('console.webhooks.state'), cell: (each) => badge(t('console.webhooks.state.' + each.state), { done: 'good', due: 'warn', failed: 'bad' }[each.state]) },
    { title: t('console.orders.tries'), cell: (each) => each.tries, number: true },
    { title: t('console.orders.answer'), cell: (each) => each.answer },
    { title: t('console.orders.made'), cell: (each) => when(each.created_at) },
  ],
  sent, { empty: t('console.orders.no_messages') });

const receipts = (list) => table(
  [
    { title: t('console.orders.receipt.event'), cell: (each) => t('console.orders.receipt.' + each.event) },
    { title: t('console.webhooks.state'), cell: (each) => badge(t('console.orders.receipt.' + each.state), { sent: 'good', due: 'warn', failed: 'bad' }[each.state]) },
    { title: t('console.orders.receipt.channel'), cell: (each) => (each.channel ? t('console.orders.receipt.' + each.channel) : '\u2013') },
    { title: t('console.orders.receipt.rounds'), cell: (each) => each.rounds, number: true },
    { title: t('console.orders.made'), cell: (each) => when(each.created_at) },
  ],
  list, { empty: t('console.orders.receipt.none') });

// Refunds.

function refundTable(context, rows, { own = false, names = new Map() } = {}) {
  const mine = context.may('support');
  return table(
    [
      !own && { title: t('console.orders.order_head'), cell: (each) => each.order_id.startsWith('order_') ? link('/console/orders/' + encodeURIComponent(each.order_id), each.order_id.slice(-8, -4).toUpperCase() + '-' + each.order_id.slice(-4).toUpperCase()) : each.order_id },
      { title: t('console.orders.amount'), cell: (each) => money(each.amount, each), number: true },
      { title: t('console.orders.refund_state'), cell: (each) => stateBadge(each.state) },
      { title: t('console.orders.refund_kind'), cell: (each) => t(each.part ? 'console.orders.kind_part' : 'console.orders.kind_rest') },
      { title: t('console.orders.answer'), cell: (each) => [each.answer, each.decision_reason && each.decided_by + ': ' + each.decision_reason].filter(Boolean).join(' · ') || t('console.orders.cause.' + each.cause) },
      { title: t('console.orders.tries'), cell: (each) => each.tries, number: true },
      { title: t('console.orders.made'), cell: (each) => when(each.created_at) },
      mine && { title: t('console.acts'), cell: (each) => decisions(context, each) },
    ].filter(Boolean),
    rows, { empty: t('console.orders.no_refunds'), caption: t('console.orders.refunds') });
}

function decisions({ ask, refresh }, it) {
  if (it.state === 'due' || it.state === 'done') return '\u2013';
  const button = (word, danger, reason) => h('button', {
    class: 'button small ' + (danger ? 'danger' : 'quiet'), 'data-act': word,
    onclick: () => act({
      title: t('console.orders.' + word + '_ask', { amount: money(it.amount, it) }), lines: [t('console.orders.' + word + '_more')],
      button: t('console.orders.' + word), danger, reason,
      run: ({ reason: why }) => ask('POST', '/refunds/' + it.id + '/' + word, why ? { reason: why } : undefined), done: t('console.saved'),
    }).then((data) => data && refresh()),
  }, t('console.orders.' + word));
  return h('span', { class: 'links' }, button('retry', false, false), button('done', false, true), it.state !== 'given_up' && button('give-up', true, true));
}

const disputeTable = (rows) => table(
  [
    { title: t('console.orders.order_head'), cell: (each) => link('/console/orders/' + encodeURIComponent(each.order_id), each.order_id.slice(-8, -4).toUpperCase() + '-' + each.order_id.slice(-4).toUpperCase()) },
    { title: t('console.orders.amount'), cell: (each) => money(each.amount, each), number: true },
    { title: t('console.orders.refund_state'), cell: (each) => badge(t('console.orders.dispute.' + each.state), { open: 'warn', won: 'good', lost: 'bad' }[each.state]) },
    { title: t('console.orders.dispute'), cell: (each) => each.dispute_id },
    { title: t('console.reason'), cell: (each) => each.reason },
    { title: t('console.orders.made'), cell: (each) => when(each.opened_at) },
  ],
  rows, { caption: t('console.orders.disputes') });

async function refunds(context) {
  const { ask, query } = context;
  const state = query.get('state') ?? '';
  const names = [['', 'open'], ...['waiting', 'failed', 'unplaced', 'due', 'done', 'given_up'].map((each) => [each, each])];
  const load = async (after) => {
    const answer = expect(await ask('GET', '/refunds?' + new URLSearchParams({ limit: 50, ...(state && { state }), ...(after && { after }) })));
    return { rows: answer.refunds, next: answer.after };
  };
  const { disputes } = expect(await ask('GET', '/disputes?state=open&limit=500'));
  return frame(
    { title: t('console.orders.refunds'), more: t('console.orders.refunds_more'), back: ['/console/orders', t('console.nav.orders')] },
    h('nav', { class: 'tabs', 'aria-label': t('console.orders.refund_state') }, names.map(([value, name]) =>
      h('a', { href: '/console/orders/refunds' + (value && '?state=' + value), 'aria-current': value === state ? 'page' : null }, t('console.orders.state.' + name)))),
    disputes.length > 0 && part(t('console.orders.disputes'), h('p', { class: 'soft' }, t('console.orders.disputes_more')), disputeTable(disputes)),
    await pages(load, (rows) => refundTable(context, rows)));
}

