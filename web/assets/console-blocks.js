// The lists of visitors who cannot claim codes and of those blocked at the gate, with buttons that unblock them.
import { h } from './dom.js';
import { moment, t } from './text.js';
import { act, expect, frame, part } from './console-ui.js';

const until = (ban) => (ban.until
  ? t('console.until', { time: moment(typeof ban.until === 'number' ? ban.until : Date.parse(ban.until)) })
  : t('console.forever'));

export async function show({ ask, refresh }) {
  const [claims, gate] = (await Promise.all([ask('GET', '/redeem/bans'), ask('GET', '/bans?effect=ban')])).map(expect);

  const lift = async (who, run) => {
    const done = await act({
      title: t('console.lift_ask', { who }), lines: [t('console.lift_more')], button: t('console.lift'), run, done: t('console.lifted', { who }),
    });
    if (done) refresh();
  };
  const row = (who, ban, run) => h('li', { class: 'card ban', 'data-ban': ban.id },
    h('div', {}, h('strong', {}, who), h('br'), h('span', { class: 'soft' }, ban.reason + ', ' + until(ban))),
    h('button', { class: 'button quiet small', onclick: () => lift(who, run) }, t('console.lift')));
  const list = (id, none, rows) => [
    h('ul', { class: 'link-list', id }, rows),
    h('p', { class: 'nothing', id: none, hidden: rows.length > 0 }, t('console.none')),
  ];

  return frame({ title: t('console.nav.blocks'), more: t('console.blocks_more') },
    part(t('console.claims'), list('claim-bans', 'no-claims', claims.bans.map((ban) =>
      row(ban.subject, ban, () => ask('POST', '/redeem/bans/' + ban.id + '/lift', { reason: 'console' }))))),
    part(t('console.gate'), list('gate-bans', 'no-gate', gate.bans.map((ban) =>
      row(ban.kind + ' ' + ban.value, ban, () => ask('DELETE', '/bans/' + ban.id))))));
}
