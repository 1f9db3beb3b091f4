// Short links: block a link or all links to a host.
import { h } from './dom.js';
import { t } from './text.js';
import { act, expect, field, frame, part, table, when } from './console-ui.js';

export async function show({ ask, refresh }) {
  const { hosts } = expect(await ask('GET', '/links/hosts'));
  const done = (data) => data && refresh();
  const code = field({ name: 'code', label: t('console.links.code'), help: t('console.links.code_help'), type: 'search', required: true, autocomplete: 'off', spellcheck: 'false', autocapitalize: 'none' });
  // A whole address counts as its last part, also that of the preview (+) or of the QR code.
  const typed = () => encodeURIComponent(code.read().replace(/[?#].*$/, '').replace(/(\/|\+|\.svg|\.png)$/, '').replace(/.*\//, ''));
  const one = (event, block) => {
    event.preventDefault();
    if (!code.read()) return code.control.reportValidity();
    return act({
      title: t(block ? 'console.links.block_ask' : 'console.links.unblock_ask', { code: typed() }), lines: [t(block ? 'console.links.block_more' : 'console.links.unblock_more')],
      button: t(block ? 'console.links.block' : 'console.links.unblock'), danger: block, reason: block,
      run: ({ reason }) => ask('POST', '/links/' + typed() + (block ? '/ban' : '/unban'), block ? { reason } : undefined), done: t('console.saved'),
    });
  };
  const host = () => act({
    title: t('console.links.host_block'), lines: [t('console.links.host_more')], button: t('console.links.block'), danger: true, reason: true,
    fields: [field({ name: 'host', label: t('console.links.host'), required: true, maxlength: 253, autocomplete: 'off', spellcheck: 'false', autocapitalize: 'none' })],
    run: ({ reason, values }) => ask('POST', '/links/hosts', { host: values.host, reason }), done: t('console.saved'),
  }).then(done);
  const lift = (it) => act({
    title: t('console.links.unblock_ask', { code: it.host }), lines: [t('console.links.host_lift')], button: t('console.links.unblock'),
    run: () => ask('DELETE', '/links/hosts/' + encodeURIComponent(it.host)), done: t('console.saved'),
  }).then(done);
  return frame({ title: t('console.nav.links'), more: t('console.links.more') },
    part(t('console.links.one'), h('form', { class: 'console-page', onsubmit: (event) => one(event, true) }, code.node,
      h('div', { class: 'tools' }, h('button', { class: 'button danger small' }, t('console.links.block')),
        h('button', { class: 'button quiet small', type: 'button', onclick: (event) => one(event, false) }, t('console.links.unblock'))))),
    part(t('console.links.hosts'),
      table(
        [
          { title: t('console.links.host'), cell: (each) => each.host },
          { title: t('console.reason'), cell: (each) => each.reason },
          { title: t('console.audit.who'), cell: (each) => each.actor },
          { title: t('console.audit.at'), cell: (each) => when(each.at) },
          { title: t('console.acts'), cell: (each) => h('button', { class: 'button quiet small', onclick: () => lift(each) }, t('console.links.unblock')) },
        ],
        hosts, { empty: t('console.links.none') }),
      h('div', { class: 'tools' }, h('button', { class: 'button danger small', id: 'block-host', onclick: host }, t('console.links.host_block')))));
}
