// The operator's own sessions, personal tokens, and account at the identity provider.
import { h } from './dom.js';
import { moment, t } from './text.js';
import { act, badge, expect, field, frame, part, table, when } from './console-ui.js';
import { oneTime } from './console-operators.js';

const ROLES = { viewer: ['viewer'], support: ['support', 'viewer'], seller: ['seller', 'viewer'], owner: ['checkin', 'viewer', 'support', 'seller', 'owner'] };

export async function show({ ask, me, refresh }) {
  const [{ sessions }, { tokens }, own] = (await Promise.all([ask('GET', '/sessions'), ask('GET', '/tokens'), ask('GET', '/me')])).map(expect);
  const done = (data) => data && refresh();
  const end = (session) => act({
    title: t('console.end_ask'), lines: [session.agent], button: t('console.end'), danger: true, run: () => ask('DELETE', '/sessions/' + session.id),
  }).then(done);
  const row = (session) => h('li', { class: 'card ban', 'data-session': session.id },
    h('div', {}, h('strong', {}, session.current ? t('console.this_browser') : session.agent), h('br'),
      h('span', { class: 'soft' }, t('console.seen', { time: moment(Date.parse(session.seen_at)) }))),
    session.current ? '' : h('button', { class: 'button danger small', onclick: () => end(session) }, t('console.end')));
  return frame({ title: me.name, more: t('operator.role.' + me.role) },
    part(t('console.sessions'), h('ul', { class: 'link-list', id: 'own-sessions' }, sessions.map(row))),
    own.provider && provider(ask, own, done),
    tokenPart({ ask, me, tokens, refresh }));
}

/** Linking leaves the console for the provider and comes back. */
function provider(ask, own, done) {
  const unlink = () => act({
    title: t('console.me.unlink_ask', { provider: own.provider }), lines: [t('console.me.unlink_more')], button: t('console.me.unlink'), danger: true,
    run: () => ask('DELETE', '/me/provider'), done: t('console.saved'),
  }).then(done);
  return part(t('console.me.provider'), h('p', {}, t(own.provider_linked ? 'console.me.linked' : 'console.me.not_linked', { provider: own.provider })),
    h('div', { class: 'tools' }, own.provider_linked
      ? h('button', { class: 'button danger small', id: 'unlink', onclick: unlink }, t('console.me.unlink'))
      // Not a link of the console: the server answers with the way to the provider.
      : h('button', { class: 'button quiet small', id: 'link', onclick: () => location.assign('/console/oidc/link') }, t('console.me.link', { provider: own.provider }))));
}

function tokenPart({ ask, me, tokens, refresh }) {
  const create = () => act({
    title: t('console.me.token_new'), lines: [t('console.me.token_more')], button: t('console.me.token_new'),
    fields: [
      field({ name: 'name', label: t('console.me.token_name'), required: true, maxlength: 100, autocomplete: 'off' }),
      field({ name: 'role', label: t('console.operators.role'), type: 'select', value: 'viewer', options: ROLES[me.role].map((word) => [word, t('operator.role.' + word)]) }),
      field({ name: 'days', label: t('console.me.token_days'), type: 'number', value: 90, min: 1, max: 366, required: true }),
    ],
    run: ({ values }) => ask('POST', '/tokens', { name: values.name, role: values.role, expires_at: new Date(Date.now() + values.days * 86400000 - 60000).toISOString() }),
  }).then(async (data) => {
    if (!data) return;
    await oneTime(t('console.me.token_of', { name: data.name }), data.token);
    refresh();
  });
  const revoke = (it) => act({
    title: t('console.me.revoke_ask', { name: it.name }), lines: [t('console.me.revoke_more')], button: t('console.me.revoke'), danger: true,
    run: () => ask('DELETE', '/tokens/' + it.id), done: t('console.saved'),
  }).then((data) => data && refresh());
  const live = (it) => !it.revoked_at && Date.parse(it.expires_at) > Date.now();
  return part(t('console.me.tokens'),
    table(
      [
        { title: t('console.me.token_name'), cell: (each) => each.name },
        { title: t('console.operators.role'), cell: (each) => badge(t('operator.role.' + each.role)) },
        { title: t('console.me.used'), cell: (each) => when(each.used_at) },
        { title: t('console.me.ends'), cell: (each) => when(each.revoked_at ?? each.expires_at) },
        { title: t('console.acts'), cell: (each) => live(each) ? h('button', { class: 'button danger small', onclick: () => revoke(each) }, t('console.me.revoke')) : badge(t('console.me.ended'), 'closed') },
      ],
      tokens, { empty: t('console.me.no_tokens') }),
    h('div', { class: 'tools' }, h('button', { class: 'button quiet small', id: 'new-token', onclick: create }, t('console.me.token_new'))));
}
