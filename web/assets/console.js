// The operator's view of who is kept out, and of the operator's own sessions. The browser sends the session's cookie.
import { call } from './api.js';
import { confirmed, h, say } from './dom.js';
import { moment, t } from './text.js';

const API = '/api/admin';
const inside = document.getElementById('inside');

const ask = (method, path, body) => call(method, API + path, { body });

function complain(answer) {
  const box = document.getElementById('problem');
  box.hidden = !answer;
  if (answer) say(box, answer.message);
}

document.getElementById('again').addEventListener('click', () => show());

const at = (time) => moment(typeof time === 'number' ? time : Date.parse(time));

function row(who, ban, lift) {
  return h('li', { class: 'card ban', 'data-ban': ban.id },
    h('div', {},
      h('strong', {}, who), h('br'),
      h('span', { class: 'soft' }, ban.reason + ', ' + (ban.until ? t('console.until', { time: at(ban.until) }) : t('console.forever')))),
    h('button', { class: 'button danger small', onclick: () => ended(who, lift) }, t('console.lift')));
}

async function ended(who, lift) {
  if (!(await confirmed(t('console.lift_ask', { who }), t('console.lift_more'), t('console.lift'), t('console.keep')))) return;
  const answer = await lift();
  complain(answer.ok ? null : answer);
  if (answer.ok) show();
}

function sessionRow(session) {
  return h('li', { class: 'card ban', 'data-session': session.id },
    h('div', {},
      h('strong', {}, session.current ? t('console.this_browser') : session.agent), h('br'),
      h('span', { class: 'soft' }, t('console.seen', { time: at(session.seen_at) }))),
    session.current ? '' : h('button', { class: 'button danger small', onclick: () => endSession(session) }, t('console.end')));
}

async function endSession(session) {
  const answer = await ask('DELETE', '/sessions/' + session.id);
  complain(answer.ok ? null : answer);
  if (answer.ok) show();
}

// A part that the operator's role does not permit stays hidden.
function fill(list, none, answer, rows) {
  const part = document.getElementById(list).closest('section');
  part.hidden = answer.status === 403;
  if (!answer.ok) return;
  const items = rows(answer.data);
  document.getElementById(list).replaceChildren(...items);
  document.getElementById(none).hidden = items.length > 0;
}

async function show() {
  const answers = await Promise.all([ask('GET', '/redeem/bans'), ask('GET', '/bans?effect=ban'), ask('GET', '/sessions')]);
  if (answers.some((answer) => answer.status === 401)) return location.assign('/console/sign-in');
  const wrong = answers.find((answer) => !answer.ok && answer.status !== 403);
  complain(wrong ?? null);
  if (wrong) return;
  const [claims, gate, sessions] = answers;
  inside.hidden = false;
  fill('claim-bans', 'no-claims', claims, (data) => data.bans.map((ban) =>
    row(ban.subject, ban, () => ask('POST', '/redeem/bans/' + ban.id + '/lift', { reason: 'console' }))));
  fill('gate-bans', 'no-gate', gate, (data) => data.bans.map((ban) =>
    row(ban.kind + ' ' + ban.value, ban, () => ask('DELETE', '/bans/' + ban.id))));
  fill('own-sessions', 'no-sessions', sessions, (data) => data.sessions.map(sessionRow));
}

show();
