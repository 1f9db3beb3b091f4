// Operators: roles, one-time links, removal.
import { h } from './dom.js';
import { t } from './text.js';
import { act, badge, expect, field, frame, table, when } from './console-ui.js';

const ROLES = ['checkin', 'viewer', 'support', 'seller', 'owner'];

export async function show({ ask, me, refresh }) {
  const { operators } = expect(await ask('GET', '/operators'));
  const done = (data) => data && refresh();
  const role = (value = 'support') => field({ name: 'role', label: t('console.operators.role'), type: 'select', value, options: ROLES.map((word) => [word, t('operator.role.' + word)]) });
  const add = () => act({
    title: t('console.operators.add'), lines: [t('console.operators.add_more')], button: t('console.operators.add'),
    fields: [field({ name: 'name', label: t('console.operators.name'), required: true, maxlength: 32, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' }), role()],
    preview: (values) => t('console.operators.role_effect.' + values.role),
    run: ({ values }) => ask('POST', '/operators', values),
  }).then(shown);
  const shown = async (data) => {
    if (!data) return;
    await oneTime(t('console.operators.link_of', { name: data.name ?? '' }), location.origin + data.link);
    refresh();
  };
  const change = (it) => {
    const wanted = role(it.role);
    return act({
      title: t('console.operators.change', { name: it.name }), lines: [t('console.operators.change_more')], button: t('console.save'), danger: true, reason: true, fields: [wanted],
      preview: (values) => t('console.operators.role_effect.' + values.role),
      run: ({ reason, values }) => ask('PATCH', '/operators/' + it.id, { role: values.role, reason }), done: t('console.saved'),
    }).then(done);
  };
  const link = (it) => act({
    title: t('console.operators.link_ask', { name: it.name }), lines: [t('console.operators.link_more')], button: t('console.operators.link'), danger: true, reason: true,
    run: ({ reason }) => ask('POST', '/operators/' + it.id + '/link', { reason }),
  }).then((data) => data && shown({ name: it.name, ...data }));
  const out = (it) => act({
    title: t('console.operators.sign_out', { name: it.name }), lines: [t('console.operators.sign_out_more')], button: t('console.operators.sign_out_button'), danger: true, reason: true,
    run: ({ reason }) => ask('DELETE', '/operators/' + it.id + '/sessions?' + new URLSearchParams({ reason })), done: t('console.saved'),
  }).then(done);
  const remove = (it) => act({
    title: t('console.operators.remove_ask', { name: it.name }), lines: [t('console.operators.remove_more')], button: t('console.operators.remove'), danger: true, reason: true, typed: it.name,
    run: ({ reason }) => ask('DELETE', '/operators/' + it.id + '?' + new URLSearchParams({ reason })), done: t('console.saved'),
  }).then(done);
  return frame(
    { title: t('console.nav.operators'), more: t('console.operators.more'), tools: [h('button', { class: 'button primary small', id: 'add', onclick: add }, t('console.operators.add'))] },
    table(
      [
        { title: t('console.operators.name'), cell: (each) => each.name },
        { title: t('console.operators.role'), cell: (each) => badge(t('operator.role.' + each.role)) },
        { title: t('console.operators.signed_in'), cell: (each) => when(each.signed_in_at) },
        { title: t('console.operators.ways'), cell: (each) => [each.enrolled && t('console.operators.password'), each.provider_linked && t('console.operators.provider')].filter(Boolean).join(', ') || t('console.operators.no_way') },
        { title: t('console.operators.link'), cell: (each) => when(each.link_expires_at) },
        { title: t('console.acts'), cell: (each) => h('span', { class: 'links' },
          h('button', { class: 'button quiet small', onclick: () => change(each) }, t('console.operators.role')),
          h('button', { class: 'button quiet small', onclick: () => link(each) }, t('console.operators.link')),
          h('button', { class: 'button quiet small', onclick: () => out(each) }, t('console.operators.sign_out_button')),
          each.name !== me.name && h('button', { class: 'button danger small', onclick: () => remove(each) }, t('console.operators.remove'))) },
      ],
      operators, { caption: t('console.nav.operators') }));
}

/** Shows a secret once, ready to be copied. */
export function oneTime(title, secret) {
  return new Promise((resolve) => {
    const box = field({ name: 'secret', label: t('console.operators.once'), value: secret, readonly: true });
    const copy = h('button', { class: 'button primary', type: 'button', onclick: async () => {
      await navigator.clipboard?.writeText(secret);
      box.control.select();
      copy.textContent = t('console.copied');
    } }, t('console.copy'));
    const dialog = h('dialog', { class: 'act', 'aria-labelledby': 'secret', onclose: () => (dialog.remove(), resolve()) },
      h('form', { method: 'dialog' }, h('h2', { id: 'secret' }, title), box.node,
        h('div', { class: 'row' }, h('button', { class: 'button quiet' }, t('console.close')), copy)));
    document.body.append(dialog);
    dialog.showModal();
    box.control.select();
  });
}
