// The settings of the node that answers, and where each comes from. They are changed in the file or the environment.
import { h } from './dom.js';
import { t } from './text.js';
import { badge, expect, field, frame, table } from './console-ui.js';

export async function show({ ask, query, go }) {
  const { settings } = expect(await ask('GET', '/settings'));
  const only = query.get('set') === '1';
  const search = field({ name: 'q', label: t('console.settings.find'), type: 'search', autocomplete: 'off' });
  const changed = field({ name: 'set', label: t('console.settings.changed'), type: 'checkbox', value: only, onchange: (event) => go('/console/settings' + (event.target.checked ? '?set=1' : '')) });
  const list = h('div', {});
  const draw = () => {
    const wanted = (search.read() ?? '').toLowerCase();
    const shown = settings.filter((each) => (!only || each.source) && (each.name + ' ' + each.meaning).toLowerCase().includes(wanted));
    list.replaceChildren(table(
      [
        { title: t('console.settings.setting'), cell: (each) => h('code', {}, each.name) },
        { title: t('console.settings.value'), cell: (each) => h('code', {}, each.value || '\u2013') },
        { title: t('console.settings.source'), cell: (each) => (each.source ? badge(each.source, 'warn') : t('console.settings.default')) },
        { title: t('console.settings.meaning'), cell: (each) => h('span', { lang: 'en' }, each.meaning) },
      ],
      shown, { empty: t('console.settings.none'), caption: t('console.nav.settings') }));
  };
  search.control.addEventListener('input', draw);
  draw();
  return frame({ title: t('console.nav.settings'), more: t('console.settings.more') }, h('div', { class: 'fields' }, search.node, changed.node), list);
}
