// The lists of visitors who cannot claim codes and of those blocked at the gate, with buttons that unblock them.
import { h } from './dom.js';
import { moment, page, t } from './text.js';
import { act, badge, expect, field, frame, part } from './console-ui.js';

const until = (ban) => (ban.until
  ? t('console.until', { time: moment(typeof ban.until === 'number' ? ban.until : Date.parse(ban.until)) })
  : t('console.forever'));

/** The number of a block, as a visitor reads it out: B-4711, with or without the letter; null for any other text. */
const caseNumber = (text) => /^(?:b[\s-]*)?(\d{1,15})$/i.exec(text?.trim() ?? '')?.[1] ?? null;

/** The block with this number, in force or not; null for none. */
async function byNumber(ask, id) {
  const { bans } = expect(await ask('GET', '/bans?effect=ban&past=true&limit=1&before=' + (Number(id) + 1)));
  return bans.find((ban) => String(ban.id) === id) ?? null;
}

const isPast = (ban) => Boolean(ban.lifted_at || (typeof ban.until === 'number' && ban.until < Date.now()));

export async function show({ ask, go, query, refresh }) {
  const asked = query.get('case');
  const wanted = caseNumber(asked);
  const hasCodes = page.sections.some(({ name }) => name === 'codes');
  const [gate, claims] = (await Promise.all([ask('GET', '/bans?effect=ban'), ...(hasCodes ? [ask('GET', '/redeem/bans')] : [])])).map(expect);
  const found = wanted && await byNumber(ask, wanted);
  const search = field({ name: 'case', label: t('console.blocks.case'), help: t('console.blocks.case_help'), type: 'search', value: asked ?? '', autocomplete: 'off' });
  const submit = (event) => {
    event.preventDefault();
    go('/console/blocks' + (search.read() ? '?case=' + encodeURIComponent(search.read()) : ''));
  };

  const lift = async (who, run) => {
    const done = await act({
      title: t('console.lift_ask', { who }), lines: [t('console.lift_more')], button: t('console.lift'), run, done: t('console.lifted', { who }),
    });
    if (done) refresh();
  };
  const row = (who, ban, run, number = '') => h('li', { class: 'card ban', 'data-ban': ban.id },
    h('div', {}, h('strong', {}, who), ' ', number && h('code', {}, number), h('br'), h('span', { class: 'soft' }, ban.reason + ', ' + until(ban))),
    isPast(ban) ? badge(t('console.blocks.ended'), 'closed') : h('button', { class: 'button quiet small', onclick: () => lift(who, run) }, t('console.lift')));
  const gateRow = (ban) => row(ban.kind + ' ' + ban.value, ban, () => ask('DELETE', '/bans/' + ban.id), 'B-' + ban.id);
  const list = (id, none, rows) => [
    h('ul', { class: 'link-list', id }, rows),
    h('p', { class: 'nothing', id: none, hidden: rows.length > 0 }, t('console.none')),
  ];

  return frame({ title: t('console.nav.blocks'), more: t('console.blocks_more') },
    claims && part(t('console.claims'), list('claim-bans', 'no-claims', claims.bans.map((ban) =>
      row(ban.subject, ban, () => ask('POST', '/redeem/bans/' + ban.id + '/lift', { reason: 'console' }))))),
    part(t('console.gate'),
      h('form', { role: 'search', onsubmit: submit }, search.node),
      asked && !found && h('p', { class: 'note bad', role: 'alert' }, t('console.blocks.case_none', { number: asked })),
      list('gate-bans', 'no-gate', (found ? [found] : gate.bans).map(gateRow))));
}
