// Appeals: the queue with its clock, the evidence, and the decisions.
import { now } from './api.js';
import { h, say } from './dom.js';
import { clock, t } from './text.js';
import { act, badge, exactly, expect, facts, field, frame, pages, part, table, when } from './console-ui.js';
import { auditTable } from './console-acts.js';
import { saleNames } from './console-orders.js';
import { tabs } from './console-people.js';

const STATES = ['open', 'granted', 'refused', 'closed'];
/** What a refusal leaves of a decision; only a ban has an end. */
const GRADES = ['warn', 'stays'], OF_BAN = [...GRADES, 'this_sale', '30_days', 'a_year'];

export function show(context) {
  return context.path[0] ? one(context, context.path[0]) : list(context);
}

/** The time that is left, counting down; red when it has passed. */
function left(appeal, signal) {
  const node = badge('');
  const draw = () => {
    const seconds = (appeal.due_at - now()) / 1000;
    say(node, seconds > 0 ? clock(seconds) : t('console.appeals.overdue', { time: clock(-seconds) }));
    node.className = 'badge ' + (seconds < 0 ? 'bad' : seconds < 300 ? 'warn' : 'good');
  };
  draw();
  const timer = setInterval(draw, 1000);
  signal.addEventListener('abort', () => clearInterval(timer));
  return node;
}

async function list(context) {
  const { ask, query, signal } = context;
  const state = query.get('state') ?? 'open';
  const names = await saleNames(ask);
  const load = async (after) => {
    const answer = expect(await ask('GET', '/appeals?' + new URLSearchParams({ state, limit: 50, ...(after && { after }) })));
    return { rows: answer.appeals, next: answer.after };
  };
  const columns = [
    { title: t('console.appeals.appeal'), cell: (each) => h('a', { href: '/console/appeals/' + each.id }, t('console.appeals.number', { id: each.id })) },
    state === 'open' && { title: t('console.appeals.left'), cell: (each) => left(each, signal) },
    { title: t('console.appeals.against'), cell: (each) => h('code', {}, each.code) },
    { title: t('console.appeals.rules'), cell: (each) => each.rules.join(', ') || '\u2013' },
    { title: t('console.orders.sale'), cell: (each) => names.get(each.product_id) ?? each.product_id ?? '\u2013' },
    { title: t('console.appeals.filed'), cell: (each) => when(each.filed_at) },
    state !== 'open' && { title: t('console.audit.who'), cell: (each) => each.reviewer ?? '\u2013' },
  ].filter(Boolean);
  return frame({ title: t('console.nav.appeals'), more: t('console.appeals.more') },
    tabs(t('console.appeals.state'), state, STATES.map((each) => [each, t('console.appeals.state.' + each), '/console/appeals?state=' + each])),
    await pages(load, (rows) => table(columns, rows, { empty: t('console.appeals.none'), caption: t('console.nav.appeals') })));
}

async function one(context, id) {
  const { ask, refresh, signal } = context;
  const [answer, names] = await Promise.all([ask('GET', '/appeals/' + encodeURIComponent(id)), saleNames(ask)]);
  const it = expect(answer);
  const open = it.state === 'open';
  const done = (data) => data && refresh();
  const tools = open ? [
    h('button', { class: 'button primary small', id: 'lift', onclick: () => lift(ask, it).then(done) }, t('console.appeals.lift')),
    h('button', { class: 'button quiet small', id: 'allow', onclick: () => allow(ask, it).then(done) }, t('console.appeals.allow')),
    h('button', { class: 'button danger small', id: 'refuse', onclick: () => refuse(ask, it).then(done) }, t('console.appeals.refuse')),
  ] : [];
  for (const button of tools) context.command(button.textContent, () => button.click());
  return frame(
    { title: t('console.appeals.number', { id: it.id }), more: open ? '' : t('console.appeals.state.' + it.state), tools, back: ['/console/appeals', t('console.nav.appeals')] },
    part(null, facts([
      open && [t('console.appeals.left'), left(it, signal)],
      [t('console.appeals.against'), it.code],
      [t('console.appeals.rules'), it.rules.join(', ')],
      [t('console.orders.sale'), names.get(it.product_id) ?? it.product_id],
      [t('console.appeals.refused_at'), when(it.refused_at)],
      [t('console.appeals.filed'), when(it.filed_at)],
      it.same_browser !== undefined && [t('console.appeals.same_browser'), t(it.same_browser ? 'console.yes' : 'console.no')],
      it.same_network !== undefined && [t('console.appeals.same_network'), t(it.same_network ? 'console.yes' : 'console.no')],
      [t('console.appeals.decision'), it.decision_id],
    ]), open && it.same_browser === false && h('p', { class: 'note' }, t('console.appeals.other_browser'))),
    part(t('console.appeals.letter'), h('p', { class: 'wraps', dir: 'auto' }, it.text ?? t('console.appeals.erased')), (it.contact || it.address) && facts([
      it.contact && [t('console.appeals.contact'), h('bdi', {}, it.contact)], it.address && [t('console.people.address'), it.address]])),
    it.ban && part(t('console.appeals.ban'), facts([
      [t('console.people.ban_of'), it.ban.kind + ' ' + it.ban.value], [t('console.reason'), it.ban.reason], [t('console.audit.who'), it.ban.actor],
      [t('console.people.duration'), it.ban.until ? exactly(it.ban.until) : t('console.forever')]])),
    it.risk && part(t('console.appeals.risk'), h('pre', { class: 'document', tabindex: 0 }, JSON.stringify(it.risk, null, 2))),
    !open && part(t('console.appeals.ruling'), facts([
      [t('console.audit.who'), it.reviewer], [t('console.reason'), it.reason], [t('console.appeals.answer'), it.answer],
      it.grade && [t('console.appeals.grade'), t('console.appeals.grade.' + it.grade)], [t('console.audit.at'), when(it.decided_at)]])),
    part(t('console.appeals.events'), auditTable(it.events)));
}

const answerField = () => field({ name: 'answer', label: t('console.appeals.answer'), help: t('console.appeals.answer_help'), type: 'textarea', maxlength: 500 });
const decide = (ask, it, body, values) => ask('POST', '/appeals/' + it.id, { ...body, ...(values.answer && { answer: values.answer }) });

const lift = (ask, it) => act({
  title: t('console.appeals.lift_ask'), lines: [t(it.ban ? 'console.appeals.lift_ban' : 'console.appeals.lift_more')], button: t('console.appeals.lift'), reason: true,
  fields: [answerField()], run: ({ reason, values }) => decide(ask, it, { decision: 'lift', reason }, values), done: t('console.appeals.granted'),
});

function allow(ask, it) {
  const length = field({ name: 'seconds', label: t('console.people.duration'), type: 'select', value: '86400', options: [['3600', 'hour'], ['86400', 'day'], ['604800', 'week'], ['2592000', 'month']].map(([seconds, name]) => [seconds, t('console.people.for.' + name)]) });
  return act({
    title: t('console.appeals.allow_ask'), lines: [t('console.appeals.allow_more')], button: t('console.appeals.allow'), reason: true, fields: [length, answerField()],
    run: ({ reason, values }) => decide(ask, it, { decision: 'allow', duration_seconds: Number(values.seconds), reason }, values), done: t('console.appeals.granted'),
  });
}

function refuse(ask, it) {
  const grade = field({ name: 'grade', label: t('console.appeals.grade'), type: 'select', value: 'warn', options: (it.ban ? OF_BAN : GRADES).map((word) => [word, t('console.appeals.grade.' + word)]) });
  return act({
    title: t('console.appeals.refuse_ask'), button: t('console.appeals.refuse'), danger: true, reason: true, fields: [grade, answerField()],
    preview: (values) => t('console.appeals.grade_effect.' + values.grade),
    run: ({ reason, values }) => decide(ask, it, { decision: 'refuse', ...(values.grade !== 'stays' && { grade: values.grade }), reason }, values), done: t('console.appeals.denied'),
  });
}
