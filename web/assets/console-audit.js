// The audit log: search and export.
import { h } from './dom.js';
import { t } from './text.js';
import { auditTable } from './console-acts.js';
import { expect, field, frame, pages } from './console-ui.js';

const KINDS = ['admin', 'refusal', 'purchase', 'join', 'admission', 'turn', 'token', 'claim', 'ban', 'loss'];
const FILTERS = ['operator', 'order', 'ip', 'device', 'account', 'session', 'decision_id', 'request_id', 'what', 'product'];

export async function show({ ask, query, go }) {
  const chosen = Object.fromEntries(['kind', 'from', 'to', ...FILTERS].filter((name) => query.has(name)).map((name) => [name, query.get(name)]));
  const filter = FILTERS.find((name) => chosen[name]) ?? 'operator';
  const kind = field({ name: 'kind', label: t('console.audit.kind'), type: 'select', value: chosen.kind, options: [['', t('console.orders.any')], ...KINDS.map((word) => [word, t('console.audit.kind.' + word)])] });
  const name = field({ name: 'name', label: t('console.audit.by'), type: 'select', value: filter, options: FILTERS.map((word) => [word, t('console.audit.by.' + word)]) });
  const value = field({ name: 'value', label: t('console.audit.value'), type: 'search', value: chosen[filter] ?? '', autocomplete: 'off', spellcheck: 'false' });
  const from = field({ name: 'from', label: t('console.orders.from'), type: 'datetime-local', value: Number(chosen.from ?? Date.now() - 86400000) });
  const to = field({ name: 'to', label: t('console.orders.to'), type: 'datetime-local', value: chosen.to && Number(chosen.to) });
  const submit = (event) => {
    event.preventDefault();
    const wanted = { kind: kind.read(), [name.read()]: value.read(), from: from.read() && Date.parse(from.read()), to: to.read() && Date.parse(to.read()) };
    go('/console/audit?' + new URLSearchParams(Object.entries(wanted).filter(([, each]) => each)));
  };
  const load = async (before) => {
    const answer = expect(await ask('GET', '/audit?' + new URLSearchParams({ ...chosen, limit: 100, ...(before && { before }) }), undefined, { timeout: 30000 }));
    return { rows: answer.events, next: answer.before };
  };
  const filters = new URLSearchParams(chosen).toString();
  return frame(
    { title: t('console.nav.audit'), more: t('console.audit.more'), tools: [h('a', { class: 'button quiet small', href: '/api/admin/audit.csv' + (filters && '?' + filters), download: '' }, t('console.csv'))] },
    h('form', { class: 'part', role: 'search', onsubmit: submit },
      h('div', { class: 'fields' }, [kind, name, value, from, to].map((each) => each.node)),
      h('div', { class: 'tools' }, h('button', { class: 'button primary' }, t('console.orders.find')))),
    await pages(load, (rows) => auditTable(rows, [
      { title: t('console.audit.details'), cell: ({ event }) => event && h('details', {}, h('summary', {}, t('console.audit.show')), h('pre', { class: 'document', tabindex: 0 }, JSON.stringify(event, null, 2))) },
    ])));
}
