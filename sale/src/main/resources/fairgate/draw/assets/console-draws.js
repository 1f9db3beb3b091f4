// Draws: announce one, watch its state, exclude an entry, abort it.
import { h } from './dom.js';
import { t } from './text.js';
import { act, badge, every, expect, facts, field, frame, pages, part, problemBox, refuse, table, toast, when } from './console-ui.js';

const COLOURS = { announced: 'scheduled', open: 'open', ended: 'good', aborted: 'closed' };
/** In these states, operators can no longer abort the draw. */
const DECIDED = ['drawn', 'allocating', 'ended', 'aborted'];
const REFRESH_MS = 5000;
const WORD = { required: true, maxlength: 32, pattern: '[a-z][a-z0-9_]*', autocomplete: 'off', spellcheck: 'false' };

const state = (word) => badge(t('console.draws.state.' + word), COLOURS[word] ?? 'warn');
const link = (id) => h('a', { href: '/console/draws/' + encodeURIComponent(id) }, id);

export function show(context) {
  const [first] = context.path;
  if (first === 'new' && context.may('seller')) return create(context);
  return first ? one(context, first) : list(context);
}

async function list({ ask, may }) {
  const load = async (after) => {
    const answer = expect(await ask('GET', '/draws?' + new URLSearchParams({ limit: 50, ...(after && { after }) })));
    return { rows: answer.draws, next: answer.after };
  };
  return frame(
    {
      title: t('console.nav.draws'), more: t('console.draws.more'),
      tools: may('seller') ? [h('a', { class: 'button primary small', href: '/console/draws/new' }, t('console.draws.new'))] : [],
    },
    await pages(load, (rows) => table(
      [
        { title: t('console.draws.id'), cell: (each) => link(each.id) },
        { title: t('console.draws.title'), cell: (each) => each.title },
        { title: t('console.draws.state'), cell: (each) => state(each.state) },
        { title: t('console.draws.opens'), cell: (each) => when(each.opens_at) },
        { title: t('console.draws.closes'), cell: (each) => when(each.closes_at) },
        { title: t('console.draws.draws'), cell: (each) => when(each.draws_at) },
      ],
      rows, { empty: t('console.draws.none'), caption: t('console.nav.draws') })));
}

/** The rules become public at once and never change, so they are shown before they are announced. */
async function create({ ask, go }) {
  const { products } = expect(await ask('GET', '/products'));
  const drawn = products.filter(({ policy }) => policy.pre_queue === 'draw');
  const back = ['/console/draws', t('console.nav.draws')];
  if (drawn.length === 0) return frame({ title: t('console.draws.new'), back }, h('p', { class: 'nothing' }, t('console.draws.no_sale')));
  const text = (name, more = {}) => field({ name, label: t('console.draws.' + name), help: t('console.draws.' + name + '.help'), ...more });
  const fields = [
    text('id', { required: true, maxlength: 40, autocomplete: 'off', spellcheck: 'false' }),
    text('product_id', { type: 'select', options: drawn.map(({ id, name }) => [id, name]) }),
    text('title', { maxlength: 120 }),
    text('opens_at', { type: 'datetime-local', required: true }),
    text('closes_at', { type: 'datetime-local', required: true }),
    text('seal_margin_seconds', { type: 'number', min: 1, max: 86400, value: 600 }),
    text('claim_minutes', { type: 'number', min: 1, max: 10080, value: 30 }),
    text('eligibility', { type: 'textarea', maxlength: 2000 }),
  ];
  const told = (name, value) => {
    if (name.endsWith('_at')) return when(value);
    return String((name === 'product_id' ? drawn.find(({ id }) => id === value)?.name : value) ?? '\u2013');
  };
  const box = problemBox();
  const submit = async (event) => {
    event.preventDefault();
    for (const each of fields) each.refuse('');
    const body = Object.fromEntries(fields.map((each) => [each.name, each.read()]).filter(([, value]) => value !== null));
    let refusal = null;
    const made = await act({
      title: t('console.draws.announce_ask', { id: body.id ?? '' }), lines: [t('console.draws.announce_more'), facts(fields.map((each) => [each.label, told(each.name, body[each.name])]))],
      button: t('console.draws.announce'), danger: true,
      async run() {
        const answer = await ask('POST', '/draws', body);
        // The answer belongs to a field of the form behind the dialog.
        if (!answer.ok) refusal = answer;
        return { ok: true, data: answer.ok ? answer.data : null };
      },
    });
    if (refusal) return refuse(refusal, fields, box);
    if (!made) return undefined;
    toast(t('console.draws.announced', { id: made.id }));
    return go('/console/draws/' + encodeURIComponent(made.id));
  };
  return frame({ title: t('console.draws.new'), more: t('console.draws.new_more'), back },
    h('form', { class: 'part', novalidate: true, onsubmit: submit }, box, h('div', { class: 'fields' }, fields.map((each) => each.node)),
      h('div', { class: 'tools' }, h('button', { class: 'button primary' }, t('console.draws.review')), h('a', { class: 'button quiet', href: back[0] }, t('console.cancel')))));
}

async function one({ ask, may, refresh, signal }, id) {
  const address = '/draws/' + encodeURIComponent(id);
  const box = h('div', { class: 'console-page' });
  let last = '';
  await every(REFRESH_MS, signal, async () => {
    const answer = await ask('GET', address);
    // A failed refresh keeps what is shown; the first one shows the failure in place of the page.
    if (!answer.ok && last) return;
    const draw = expect(answer);
    const now = JSON.stringify(draw);
    if (now === last || document.querySelector('dialog[open]')) return;
    last = now;
    box.replaceChildren(page(draw));
  });
  return box;

  function page(draw) {
    const done = (data) => data !== null && refresh();
    const word = () => field({ name: 'reason', label: t('console.draws.reason'), help: t('console.draws.reason.help'), ...WORD });
    const exclude = () => act({
      title: t('console.draws.exclude_ask', { id }), lines: [t('console.draws.exclude_more')], button: t('console.draws.exclude'), danger: true,
      fields: [field({ name: 'index', label: t('console.draws.index'), help: t('console.draws.index.help'), type: 'number', min: 0, required: true }), word()],
      run: ({ values }) => ask('POST', address + '/exclusions', values), done: t('console.draws.excluded'),
    }).then(done);
    const abort = () => act({
      title: t('console.draws.abort_ask', { id }), lines: [t('console.draws.abort_more')], button: t('console.draws.abort'), danger: true, typed: id,
      fields: [word()], run: ({ values }) => ask('POST', address + '/abort', { reason: values.reason }), done: t('console.draws.aborted'),
    }).then(done);
    return frame(
      {
        title: draw.title, more: id, back: ['/console/draws', t('console.nav.draws')],
        tools: may('seller') && !DECIDED.includes(draw.state) ? [
          draw.state === 'open' && h('button', { class: 'button danger small', id: 'exclude', onclick: exclude }, t('console.draws.exclude')),
          h('button', { class: 'button danger small', id: 'abort', onclick: abort }, t('console.draws.abort')),
        ].filter(Boolean) : [],
      },
      part(null, facts([
        [t('console.draws.state'), state(draw.state)],
        [t('console.draws.opens'), when(draw.opens_at)], [t('console.draws.closes'), when(draw.closes_at)], [t('console.draws.draws'), when(draw.draws_at)],
        [t('console.draws.units'), draw.units], [t('console.draws.claim_minutes'), draw.claim_minutes],
        draw.seal && [t('console.draws.entries'), draw.seal.size], draw.seal && [t('console.draws.out'), draw.seal.excluded],
        draw.report && [t('console.draws.issued'), draw.report.issued], draw.report && [t('console.draws.unsold'), draw.report.unsold],
        draw.abort_reason && [t('console.draws.reason'), draw.abort_reason],
        [t('console.draws.public'), h('a', { href: '/draws/' + encodeURIComponent(id), target: '_blank', rel: 'noopener' }, t('console.draws.public_link'))],
      ])),
      h('details', { class: 'part' }, h('summary', {}, t('console.draws.rules')), h('pre', { class: 'document', tabindex: 0 }, JSON.stringify(draw.rules, null, 2))));
  }
}
