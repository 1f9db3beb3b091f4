// The operator's view of who is kept out. The token stays in this tab and goes to the admin API only.
import { call } from './api.js';
import { confirmed, h, say } from './dom.js';
import { moment, t } from './text.js';

const KEPT = 'fairgate.operator';
const API = '/api/admin';
const form = document.getElementById('enter');
const inside = document.getElementById('inside');
let token = sessionStorage.getItem(KEPT) ?? '';

const ask = (method, path, body) => call(method, API + path, { body, headers: { Authorization: 'Bearer ' + token } });

function complain(answer) {
  const box = document.getElementById('problem');
  box.hidden = !answer;
  if (answer) say(box, answer.message);
}

function leave() {
  token = '';
  sessionStorage.removeItem(KEPT);
  inside.hidden = true;
  form.hidden = false;
  form.elements.token.focus();
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  token = form.elements.token.value.trim();
  form.reset();
  show();
});
document.getElementById('leave').addEventListener('click', leave);
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

function fill(list, none, rows) {
  document.getElementById(list).replaceChildren(...rows);
  document.getElementById(none).hidden = rows.length > 0;
}

async function show() {
  const [claims, gate] = await Promise.all([ask('GET', '/redeem/bans'), ask('GET', '/bans?effect=ban')]);
  const wrong = [claims, gate].find((answer) => !answer.ok);
  complain(wrong ?? null);
  if (wrong?.status === 401) return leave();
  if (wrong) return;
  sessionStorage.setItem(KEPT, token);
  form.hidden = true;
  inside.hidden = false;
  fill('claim-bans', 'no-claims', claims.data.bans.map((ban) =>
    row(ban.subject, ban, () => ask('POST', '/redeem/bans/' + ban.id + '/lift', { reason: 'console' }))));
  fill('gate-bans', 'no-gate', gate.data.bans.map((ban) =>
    row(ban.kind + ' ' + ban.value, ban, () => ask('DELETE', '/bans/' + ban.id))));
}

if (token) show();
