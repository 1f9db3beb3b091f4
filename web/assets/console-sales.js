// The section Sales: the list, and the pages of one sale.
import { h } from './dom.js';
import { millis, money, number, t } from './text.js';
import { badge, every, expect, frame, table, when } from './console-ui.js';

/** The next thing that the clock does with a sale: [moment, text]; null for nothing. */
export function nextEvent(product) {
  const events = [
    [millis(product.policy.opens_at), t('console.sales.opens')],
    [millis(product.next_batch_at), t('console.sales.batch')],
    [millis(product.policy.closes_at), t('console.sales.closes')],
  ].filter(([at]) => at && at > Date.now()).sort((a, b) => a[0] - b[0]);
  return product.state === 'closed' ? null : events[0] ?? null;
}

export const stateOf = (product) => product.live?.state || product.state;
export const stateBadge = (state) => badge(t('console.state.' + state), state);
export const priceOf = (product) => (product.price > 0 ? money(product.price, product) : t('console.sales.free_of_charge'));

/** The units that the opening sets free, as long as none are released; null afterwards. Of planned batches it is the first. */
export function atOpening(product, live = product.live) {
  if ((live?.state || product.state) !== 'scheduled' || live?.released > 0 || live?.free > 0) return null;
  return product.policy.batches[0]?.quantity ?? product.total_stock;
}

const RANK = { open: 0, paused: 1, scheduled: 2, closed: 3 };

function rows(products) {
  return [...products].sort((a, b) => RANK[stateOf(a)] - RANK[stateOf(b)] || a.name.localeCompare(b.name));
}

const columns = [
  { title: t('console.sales.name'), cell: (p) => h('a', { href: '/console/sales/' + p.id }, p.name) },
  { title: t('console.sales.state'), cell: (p) => stateBadge(stateOf(p)) },
  { title: t('console.sales.price'), number: true, cell: priceOf },
  { title: t('console.sales.stock'), number: true, cell: (p) => (atOpening(p) !== null ? t('console.sales.at_opening', { n: number(atOpening(p)) }) : p.live
    ? t('console.sales.of', { free: number(p.live.free), total: number(p.total_stock) })
    : number(p.total_stock)) },
  { title: t('console.sales.paid'), number: true, cell: (p) => p.live?.confirmed },
  { title: t('console.sales.people'), number: true, cell: (p) => p.live && p.live.waiting + p.live.active },
  { title: t('console.sales.next'), cell: (p) => {
    const next = nextEvent(p);
    return next ? h('span', {}, next[1], ' ', when(next[0])) : null;
  } },
];

async function list({ ask, may, query, signal }) {
  const wanted = query.get('q') ?? '';
  const search = h('input', { type: 'search', value: wanted, 'aria-label': t('console.sales.search'), placeholder: t('console.sales.search') });
  const box = h('div', {});
  const old = h('p', { class: 'note bad', id: 'old', role: 'alert', hidden: true }, t('console.live.lost'));
  let products = expect(await ask('GET', '/products?live=true')).products;
  const draw = () => {
    const text = search.value.trim().toLowerCase();
    const found = rows(products).filter((p) => p.name.toLowerCase().includes(text) || p.id.includes(text));
    // A link that has the focus keeps it.
    const focused = document.activeElement?.getAttribute?.('href');
    box.replaceChildren(table(columns, found, { empty: t(products.length ? 'console.palette_none' : 'console.sales.none'), caption: t('console.nav.sales') }));
    if (focused) box.querySelector('a[href="' + CSS.escape(focused) + '"]')?.focus();
  };
  search.addEventListener('input', draw);
  draw();
  let first = true;
  await every(5000, signal, async () => {
    if (first) return void (first = false);
    const answer = await ask('GET', '/products?live=true');
    old.hidden = answer.ok;
    if (answer.ok) products = answer.data.products;
    draw();
  });
  return frame({
    title: t('console.nav.sales'),
    tools: [products.length > 5 && search, may('seller') && h('a', { class: 'button primary small', href: '/console/sales/new' }, t('console.sales.new'))],
  }, old, box);
}

/** /console/sales, /new, /ID (live), /ID/edit, /ID/report. */
export async function show(context) {
  const [id, page = 'live'] = context.path;
  if (!id) return list(context);
  if (id === 'new') return (await import('./console-sale-form.js')).create(context);
  const module = { edit: './console-sale-form.js', report: './console-report.js' }[page] ?? './console-live.js';
  return (await import(module)).show({ ...context, id });
}
