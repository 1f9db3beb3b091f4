// The visitor's short links: a form, a list, and a chart of clicks for the link that is open.
import { call, now } from './api.js';
import { confirmed, h, say } from './dom.js';
import { chart } from './chart.js';
import { lang, moment, number, page, sentences, span, t } from './text.js';

const API = '/api/v1/shortlinks';
const form = document.getElementById('make');
const list = document.getElementById('list');
const more = document.getElementById('more');
const status = document.getElementById('status');
let cursor = null;

function complain(answer) {
  const box = document.getElementById('problem');
  box.hidden = !answer;
  for (const field of form.elements) field.removeAttribute?.('aria-invalid');
  const wrong = answer?.data?.field && form.elements[answer.data.field];
  if (wrong) {
    wrong.closest('details')?.setAttribute('open', '');
    wrong.setAttribute('aria-invalid', 'true');
    wrong.focus();
  }
  // The API names its fields; here they have labels.
  const label = wrong?.closest?.('label')?.firstChild.textContent.trim();
  if (answer) say(box, label ? message(answer).replace(answer.data.field, label) : message(answer));
}

const message = ({ message: text, retryAfter }) =>
  sentences(text, retryAfter > 0 && t('error.retry', { time: span(retryAfter) }));

/** The key of what is wrong with an address, as the server would find it; null if nothing is. */
function mistake(url) {
  if (/[\s"<>\\]/.test(url)) return 'url_bad_character';
  if (!/^https?:\/\//i.test(url)) return 'url_not_http';
  return URL.canParse(url) ? null : 'url_bad_host';
}

/** What the browser itself can refuse, so that it costs no challenge; null for nothing. */
function refusal({ url, expires_at: end }) {
  const wrong = mistake(url);
  if (wrong) return { message: page.problems[wrong], data: { field: 'url' } };
  return end && Date.parse(end) <= now() ? { message: t('links.expires_past'), data: { field: 'expires_at' } } : null;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector(':scope > button');
  const body = { url: form.elements.url.value.trim() };
  if (form.elements.code.value.trim()) body.code = form.elements.code.value.trim();
  if (form.elements.expires_at.value) body.expires_at = new Date(form.elements.expires_at.value).toISOString();
  if (form.elements.max_visits.value) body.max_visits = Number(form.elements.max_visits.value);
  body.redirect_status = Number(form.elements.redirect_status.value);
  body.forward_query = form.elements.forward_query.value;
  const refused = refusal(body);
  say(status, '');
  complain(refused);
  if (refused) return;
  button.disabled = true;
  const answer = await create(body);
  button.disabled = false;
  say(status, answer.ok ? t('links.made', { url: answer.data.short_url }) : '');
  complain(answer.ok ? null : answer);
  if (!answer.ok) return;
  form.reset();
  const item = row(answer.data);
  list.prepend(item);
  empty();
  open(item, answer.data);
  item.scrollIntoView({ block: 'nearest' });
});

/** Guests solve a challenge for each link, unless the server asks for none. */
async function create(body) {
  if (page.challenge) {
    const host = document.getElementById('widget');
    say(status, t('check.title'));
    try {
      const { proveFor } = await import('./challenge.js');
      body.turnstile_token = await proveFor('link', { host, onProgress() {}, signal: new AbortController().signal });
    } catch (failure) {
      return failure instanceof Error ? { ok: false, message: t('check.failed') } : failure;
    } finally {
      host.replaceChildren();
    }
  }
  return call('POST', API, { body });
}

function empty() {
  document.getElementById('none').hidden = list.children.length > 0;
}

function row(link) {
  const name = link.short_url.replace(/^https?:\/\//, '');
  const detail = h('div', { class: 'detail', hidden: true });
  const button = h('button', { class: 'line', 'aria-expanded': 'false', onclick: () => toggle(item, link.code) },
    h('span', { class: 'short' }, name),
    h('span', { class: 'badge ' + (link.state === 'active' ? 'open' : '') }, t('links.state.' + link.state)),
    h('span', { class: 'soft target' }, link.url),
    h('span', { class: 'soft clicks' }, t('links.clicks', { n: number(link.clicks) })));
  const item = h('li', { class: 'card', 'data-code': link.code }, button, detail);
  return item;
}

async function toggle(item, code) {
  if (item.querySelector('.line').getAttribute('aria-expanded') === 'true') return close(item);
  const answer = await call('GET', API + '/' + code);
  if (answer.ok) open(item, answer.data);
}

function close(item) {
  item.querySelector('.line').setAttribute('aria-expanded', 'false');
  item.querySelector('.detail').hidden = true;
}

function open(item, link) {
  [...list.children].filter((other) => other !== item).forEach(close);
  const copied = h('span', { class: 'soft copied', role: 'status' });
  // Plain http has no clipboard, and the browser may refuse it.
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link.short_url);
      say(copied, t('links.copied'));
    } catch {
      const address = h('span', {}, link.short_url);
      copied.replaceChildren(t('links.copy_by_hand') + ' ', address);
      getSelection().selectAllChildren(address);
    }
  };
  const detail = item.querySelector('.detail');
  const facts = [
    ['links.fact_clicks', number(link.clicks)],
    ['links.fact_visitors', number(link.visitors)],
    ['links.fact_bots', number(link.bots)],
  ];
  if (link.max_visits) facts.push(['links.fact_visits', number(link.visits) + ' / ' + number(link.max_visits)]);
  if (link.expires_at) facts.push(['links.expires', moment(Date.parse(link.expires_at))]);
  const title = link.time_zone ? t('links.chart_zone', { zone: link.time_zone }) : t('links.chart');
  detail.replaceChildren(
    h('dl', { class: 'facts' }, facts.map(([key, value]) => h('div', { class: 'fact' }, h('dt', {}, t(key)), h('dd', {}, value)))),
    chart(link.series ?? [], lang, { title, people: t('links.fact_clicks'), bots: t('links.fact_bots') }, link.time_zone),
    h('div', { class: 'actions' },
      h('img', { class: 'qr', src: '/' + link.code + '.svg', alt: 'QR ' + link.short_url, width: 96, height: 96 }),
      h('div', { class: 'tools' },
        h('button', { class: 'button quiet small', onclick: copy }, t('links.copy')),
        h('a', { class: 'button quiet small', href: '/' + link.code + '+' }, t('links.preview')),
        h('a', { class: 'button quiet small', href: '/' + link.code + '.png', download: link.code + '.png' }, t('links.qr')),
        link.state === 'disabled' ? null : h('button', { class: 'button quiet small edit', onclick: () => edit(item, link) }, t('links.edit')),
        link.state === 'disabled' ? null : h('button', { class: 'button danger small', onclick: () => disable(item, link) }, t('links.disable')),
        copied)));
  detail.hidden = false;
  item.querySelector('.line').setAttribute('aria-expanded', 'true');
}

/** A form in place of the tools, which has the link lead elsewhere. */
function edit(item, link) {
  const detail = item.querySelector('.detail');
  const problem = h('p', { class: 'note bad', role: 'alert', hidden: true });
  const input = h('input', { name: 'target', type: 'url', inputmode: 'url', autocomplete: 'off', required: true, maxlength: 2048, value: link.url });
  const save = h('button', { class: 'button primary small' }, t('links.save'));
  const back = (now) => {
    open(item, now);
    item.querySelector('.edit').focus();
  };
  const submit = async (event) => {
    event.preventDefault();
    save.disabled = true;
    const answer = await call('PATCH', API + '/' + link.code, { body: { url: input.value.trim() } });
    save.disabled = false;
    if (!answer.ok) {
      problem.hidden = false;
      input.setAttribute('aria-invalid', 'true');
      say(problem, message(answer).replace(/^url(?=\s)/, t('links.url')));
      return input.focus();
    }
    say(item.querySelector('.target'), answer.data.url);
    back({ ...link, ...answer.data });
  };
  detail.querySelector('.actions').replaceChildren(
    h('form', { class: 'link-form retarget', novalidate: true, onsubmit: submit },
      h('label', {}, t('links.url'), input),
      [301, 308].includes(link.redirect_status) ? h('p', { class: 'soft' }, t('links.edit_permanent')) : null,
      problem,
      h('div', { class: 'tools' }, save, h('button', { class: 'button quiet small', type: 'button', onclick: () => back(link) }, t('links.cancel')))));
  input.focus();
}

async function disable(item, link) {
  if (!(await confirmed(t('links.disable_ask'), t('links.disable_more'), t('links.disable'), t('links.keep')))) return;
  const answer = await call('DELETE', API + '/' + link.code);
  if (!answer.ok) return complain(answer);
  const fresh = row(answer.data);
  item.replaceWith(fresh);
  fresh.querySelector('.line').focus();
}

document.getElementById('file').addEventListener('change', async (event) => {
  const file = event.target.files[0];
  if (!file) return;
  const report = document.getElementById('report');
  try {
    const response = await fetch(API + '/import', {
      method: 'POST', body: file, credentials: 'same-origin',
      headers: { 'Content-Type': 'text/csv', Accept: 'application/json', 'Accept-Language': lang },
    });
    const data = await response.json();
    const first = (data.results ?? []).find((result) => result.error);
    report.className = 'note ' + (response.ok && !first ? '' : 'warn');
    say(report, response.ok
      ? sentences(t('links.imported', { made: number(data.created), refused: number(data.refused) }),
        first && sentences(t('links.line', { n: number(first.line) }), first.message))
      : data.message);
  } catch {
    say(report, t('error.network'));
  }
  report.hidden = false;
  event.target.value = '';
  list.replaceChildren();
  cursor = null;
  load();
});

async function load() {
  const answer = await call('GET', API + '?limit=20' + (cursor ? '&cursor=' + encodeURIComponent(cursor) : ''));
  if (!answer.ok) return complain(answer);
  // A link made while this call was under way is already in the list.
  const isListed = ({ code }) => [...list.children].some((item) => item.dataset.code === code);
  list.append(...answer.data.links.filter((link) => !isListed(link)).map(row));
  cursor = answer.data.cursor;
  more.hidden = !cursor;
  empty();
}

more.addEventListener('click', load);
form.querySelector(':scope > button').disabled = false;
load();
