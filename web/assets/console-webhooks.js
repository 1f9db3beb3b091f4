// Webhook messages: their deliveries, repetition, and a test message.
import { h } from './dom.js';
import { t } from './text.js';
import { act, badge, expect, frame, pages, table, when } from './console-ui.js';
import { tabs } from './console-people.js';

const COLOURS = { done: 'good', due: 'warn', failed: 'bad' };

export async function show({ ask, query, refresh }) {
  const state = query.get('state') ?? '';
  const load = async (after) => {
    const answer = expect(await ask('GET', '/webhooks?' + new URLSearchParams({ limit: 50, ...(state && { state }), ...(after && { after }) })));
    return { rows: answer.webhooks, next: answer.after };
  };
  const done = (data) => data && refresh();
  const again = (it) => act({
    title: t('console.webhooks.resend'), lines: [t('console.webhooks.resend_more', { id: it.id })], button: t('console.webhooks.resend'),
    run: () => ask('POST', '/webhooks/' + encodeURIComponent(it.id) + '/resend'), done: t('console.orders.resend_done'),
  }).then(done);
  const test = () => act({
    title: t('console.webhooks.test'), lines: [t('console.webhooks.test_more')], button: t('console.webhooks.test'),
    run: () => ask('POST', '/webhooks/test'), done: t('console.orders.resend_done'),
  }).then(done);
  return frame(
    { title: t('console.nav.webhooks'), more: t('console.webhooks.more'), tools: [h('button', { class: 'button quiet small', id: 'test', onclick: test }, t('console.webhooks.test'))] },
    tabs(t('console.webhooks.state'), state, ['', 'due', 'failed', 'done'].map((each) => [each, t('console.webhooks.state.' + (each || 'all')), '/console/webhooks' + (each && '?state=' + each)])),
    await pages(load, (rows) => table(
      [
        { title: t('console.webhooks.id'), cell: (each) => h('code', {}, each.id) },
        { title: t('console.webhooks.type'), cell: (each) => each.type },
        { title: t('console.webhooks.state'), cell: (each) => badge(t('console.webhooks.state.' + each.state), COLOURS[each.state]) },
        { title: t('console.orders.tries'), cell: (each) => each.tries, number: true },
        { title: t('console.orders.answer'), cell: (each) => each.answer },
        { title: t('console.orders.made'), cell: (each) => when(each.created_at) },
        { title: t('console.acts'), cell: (each) => each.state === 'due' ? '\u2013' : h('button', { class: 'button quiet small', onclick: () => again(each) }, t('console.webhooks.resend')) },
      ],
      rows, { empty: t('console.orders.no_messages'), caption: t('console.nav.webhooks') })));
}
