// Versions of the risk policy: publish, backtest, canary, activate, roll back.
import { h } from './dom.js';
import { number, t } from './text.js';
import { differences, parsed, policyForm } from './console-policy-form.js';
import { act, badge, exactly, expect, facts, field, frame, pages, part, problemBox, table, toast, when } from './console-ui.js';

const COLOURS = { active: 'good', canary: 'warn', draft: 'scheduled', retired: 'closed' };

export function show(context) {
  const [first] = context.path;
  if (first === 'new') return publish(context);
  return first ? one(context, first) : list(context);
}

async function list(context) {
  const { ask, refresh } = context;
  const load = async (before) => {
    const answer = expect(await ask('GET', '/policies?' + new URLSearchParams({ limit: 50, ...(before && { before }) })));
    return { rows: answer.policies, next: answer.before };
  };
  const first = await load();
  const isActive = (each) => each.state === 'active';
  let page = first;
  while (page.next && !page.rows.some(isActive)) page = await load(page.next);
  const active = page.rows.find(isActive);
  const columns = [
    { title: t('console.policies.version'), cell: (each) => h('a', { href: '/console/policies/' + each.version }, String(each.version)) },
    { title: t('console.policies.state'), cell: (each) => state(each) },
    { title: t('console.policies.note'), cell: (each) => each.note || '\u2013' },
    { title: t('console.policies.author'), cell: (each) => each.author },
    { title: t('console.policies.backtest'), cell: (each) => t(!each.backtest_hash ? 'console.no' : each.backtest_decisions > 0 ? 'console.yes' : 'console.policies.judged_none') },
    { title: t('console.orders.made'), cell: (each) => when(each.created_at) },
  ];
  // Refused when another version is active by then: two operators, or a repeat, would go forward again.
  const rollBack = (version) => ask('POST', '/policies/rollback', { active: version });
  const undo = async (data) => {
    const answer = await rollBack(data.version);
    if (!answer.ok) toast(answer.message, 'bad');
    refresh();
  };
  const back = () => act({
    title: t('console.policies.rollback_ask'), lines: [t('console.policies.rollback_more')], button: t('console.policies.rollback'), danger: true,
    run: () => rollBack(active?.version), done: t('console.policies.rolled_back'), undo,
  }).then((data) => data && refresh());
  let served = false;
  const firstOnce = async (before) => (served || before ? load(before) : (served = true, first));
  return frame({
    title: t('console.nav.policies'), more: t('console.policies.more'),
    tools: [
      h('a', { class: 'button primary small', href: '/console/policies/new' + (active ? '?from=' + active.version : '') }, t('console.policies.new')),
      h('button', { class: 'button quiet small', id: 'rollback', onclick: back }, t('console.policies.rollback')),
    ],
  }, await pages(firstOnce, (rows) => table(columns, rows, { caption: t('console.nav.policies') })));
}

const state = (version) => badge(t('console.policies.state.' + version.state) + (version.percent !== undefined ? ' ' + version.percent + ' %' : ''), COLOURS[version.state]);

async function one(context, version) {
  const { ask, refresh } = context;
  const it = expect(await ask('GET', '/policies/' + encodeURIComponent(version)));
  const done = (data) => data && refresh();
  const post = (step, body) => ask('POST', '/policies/' + it.version + '/' + step, body, { timeout: 60000 });
  const live = it.state === 'active';
  const tools = [
    h('button', { class: 'button quiet small', id: 'backtest', onclick: () => backtest(post).then(done) }, t('console.policies.backtest')),
    !live && h('button', { class: 'button quiet small', id: 'canary', onclick: () => canary(post).then(done) }, t('console.policies.canary')),
    it.state === 'canary' && h('button', { class: 'button quiet small', id: 'end-canary', onclick: () => endCanary(ask, it).then(done) }, t('console.policies.canary_off')),
    !live && h('button', { class: 'button danger small', id: 'activate', onclick: () => activate(post, it).then(done) }, t('console.policies.activate')),
    h('a', { class: 'button quiet small', href: '/console/policies/new?from=' + it.version }, t('console.policies.copy')),
  ].filter(Boolean);
  return frame(
    { title: t('console.policies.title', { version: it.version }), more: it.note, tools, back: ['/console/policies', t('console.nav.policies')] },
    ...it.warnings.map((text) => h('p', { class: 'note' }, text)),
    part(null, facts([
      [t('console.policies.state'), state(it)], [t('console.policies.author'), it.author], [t('console.orders.made'), when(it.created_at)],
      it.parent && [t('console.policies.parent'), h('a', { href: '/console/policies/' + it.parent }, String(it.parent))],
      ...Object.entries(it.guardrails).map(([name, value]) => [t('console.policies.guard.' + name), number(value) + (name === 'max_p99_micros' ? ' µs' : ' %')]),
    ])),
    it.backtest && report(it.backtest),
    it.counts && part(t('console.policies.counts'), h('pre', { class: 'document', tabindex: 0 }, JSON.stringify(it.counts, null, 2))),
    part(t('console.orders.history'), h('ol', { class: 'history' }, it.history.map((step) => h('li', {},
      h('p', {}, h('strong', {}, t('console.policies.step.' + step.step)), ' · ', step.actor, step.detail ? ' · ' + step.detail : ''), h('p', { class: 'soft' }, exactly(Date.parse(step.at))))))),
    h('details', { class: 'part' }, h('summary', {}, t('console.policies.bundle')), h('pre', { class: 'document', tabindex: 0 }, JSON.stringify(it.bundle, null, 2))));
}

/** What a version would have done with the recorded decisions, by what became of them. */
function report(backtest) {
  const labels = ['all', ...Object.keys(backtest.stricter).filter((label) => label !== 'all')];
  const share = ({ n, of, low, high }) => (of ? number(n) + ' / ' + number(of) + ' (' + percent(low) + '\u2013' + percent(high) + ')' : '\u2013');
  const percent = (value) => number(Math.round(value * 1000) / 10) + ' %';
  const rows = ['changed', 'stricter', 'milder'].map((name) => ({ name, shares: backtest[name] }));
  return part(t('console.policies.report'),
    facts([
      [t('console.policies.decisions'), number(backtest.decisions.all)],
      [t('console.policies.harm'), backtest.humans_harmed_per_bot_stopped ?? '\u2013'],
    ]),
    table([
      { title: t('console.policies.change'), cell: (row) => t('console.policies.' + row.name) },
      ...labels.map((label) => ({ title: t('console.policies.label.' + label), number: true, cell: (row) => share(row.shares[label]) })),
    ], rows),
    table([
      { title: t('console.policies.rule'), cell: (rule) => h('code', {}, rule.code) },
      { title: t('console.policies.matched'), number: true, cell: (rule) => share(rule.matched.all) },
      { title: t('console.policies.stricter'), number: true, cell: (rule) => share(rule.stricter.all) },
    ], backtest.rules));
}

function backtest(post) {
  const days = field({ name: 'days', label: t('console.policies.days'), type: 'number', value: 7, min: 1, max: 365, required: true });
  return act({
    title: t('console.policies.backtest'), lines: [t('console.policies.backtest_more')], button: t('console.policies.backtest'), fields: [days],
    run: ({ values }) => post('backtest', { from: new Date(Date.now() - values.days * 86400000).toISOString() }), done: t('console.policies.backtested'),
  });
}

const endCanary = (ask, it) => act({
  title: t('console.policies.canary_off'), button: t('console.policies.canary_off'),
  run: () => ask('DELETE', '/policies/' + it.version + '/canary'), done: t('console.saved'),
});

function canary(post) {
  const percent = field({ name: 'percent', label: t('console.policies.percent'), type: 'number', value: 10, min: 0, max: 100, required: true });
  return act({
    title: t('console.policies.canary'), lines: [t('console.policies.canary_more')], button: t('console.policies.canary'), fields: [percent],
    preview: (values) => t(values.percent > 0 ? 'console.policies.canary_effect' : 'console.policies.canary_none', { percent: values.percent ?? 0 }),
    run: ({ values }) => post('canary', { percent: values.percent }), done: t('console.saved'),
  });
}

/** Without a backtest that judged any decision the act is typed: nobody has seen what the version would do. */
function activate(post, it) {
  const tested = it.backtest?.decisions.all > 0;
  return act({
    title: t('console.policies.activate_ask', { version: it.version }),
    lines: [t('console.policies.activate_more'), ...it.warnings, !tested && t(it.backtest ? 'console.policies.empty_backtest' : 'console.policies.no_backtest')].filter(Boolean),
    button: t('console.policies.activate'), danger: true, typed: tested ? '' : String(it.version),
    run: () => post('activate', tested ? undefined : { confirm: true }), done: t('console.policies.activated'),
  });
}

const difference = (list) => h('table', { class: 'list diff' },
  h('thead', {}, h('tr', {}, [t('console.sale.diff_field'), t('console.sale.diff_was'), t('console.sale.diff_now')].map((text) => h('th', { scope: 'col' }, text)))),
  h('tbody', {}, list.map(({ what, was, now }) => h('tr', {},
    h('th', { scope: 'row' }, what),
    h('td', { 'data-title': t('console.sale.diff_was') }, h('del', { class: 'lines' }, was || '\u2013')),
    h('td', { 'data-title': t('console.sale.diff_now') }, h('ins', { class: 'lines' }, now || '\u2013'))))));

async function publish(context) {
  const { ask, go, query } = context;
  const from = query.get('from');
  const parent = from ? expect(await ask('GET', '/policies/' + encodeURIComponent(from))) : null;
  const text = field({ name: 'bundle', label: t('console.policies.bundle'), type: 'textarea', value: parent ? JSON.stringify(parent.bundle, null, 2) : '', required: true, spellcheck: 'false', class: 'code', rows: 24, oninput: () => drawForm() });
  const note = field({ name: 'note', label: t('console.policies.note'), required: true, maxlength: 200 });
  const box = problemBox();
  const refused = (answer) => {
    const problems = answer.data.problems ?? [];
    text.refuse('');
    box.hidden = false;
    // Problems name lines of the document.
    if (problems.length) text.node.closest('details').open = true;
    box.replaceChildren(...(problems.length
      ? problems.map((each) => h('span', { class: 'line' }, t('console.policies.problem', { line: each.line, column: each.column, message: (each.rule ? each.rule + ': ' : '') + each.message })))
      : [answer.message]));
    box.focus();
  };
  const validate = async () => {
    const answer = await ask('POST', '/policies/validate', text.control.value);
    if (!answer.ok) return refused(answer);
    box.hidden = true;
    good.hidden = false;
    good.replaceChildren(...[t('console.policies.valid'), ...answer.data.warnings].map((text) => h('span', { class: 'line' }, text)));
  };
  const good = h('p', { class: 'note', role: 'status', hidden: true });
  // The document is what is published; the form writes into it, and follows what is typed there.
  const form = h('div', {});
  const drawForm = () => {
    const document = parsed(text.control.value);
    form.replaceChildren(document
      ? policyForm(document, () => (text.control.value = JSON.stringify(document, null, 2)))
      : h('p', { class: 'note' }, t('console.policies.no_form')));
  };
  if (parent) drawForm();
  const submit = async (event) => {
    event.preventDefault();
    good.hidden = true;
    const document = parsed(text.control.value);
    if (parent && document) {
      const list = differences(parent.bundle, document);
      const done = await act({
        title: t('console.policies.review', { version: parent.version }), lines: [list.length ? difference(list) : t('console.policies.unchanged', { version: parent.version })],
        button: t('console.policies.publish'), run: async () => ({ ok: true, data: {} }),
      });
      if (!done) return;
    }
    const answer = await ask('POST', '/policies?' + new URLSearchParams({ note: note.read(), ...(parent && { parent: parent.version }) }), text.control.value);
    if (answer.ok) go('/console/policies/' + answer.data.version);
    else refused(answer);
  };
  return frame({ title: t('console.policies.new'), more: t('console.policies.new_more'), back: ['/console/policies', t('console.nav.policies')] },
    h('form', { class: 'part', onsubmit: submit }, box, good, form,
      h('details', { open: !parent, id: 'document' }, h('summary', {}, t('console.policies.document')), text.node), note.node,
      h('div', { class: 'tools' }, h('button', { class: 'button primary' }, t('console.policies.publish')), h('button', { class: 'button quiet', type: 'button', id: 'validate', onclick: validate }, t('console.policies.validate')))));
}
