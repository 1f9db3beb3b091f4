// What the pages of the console are made of: headings, tables, forms, confirmations, messages.
import { wait } from './api.js';
import { h, say } from './dom.js';
import { lang, moment, number, t } from './text.js';

const LOOKS = 5;
const LOOK_MS = 1000;

let ids = 0;
const unique = (name) => name + '-' + ++ids;

/** The address of a link within the console; null for any other. */
export function addressed(link) {
  const url = new URL(link.href, location.href);
  const inside = url.origin === location.origin && /^\/console(\/|$)/.test(url.pathname);
  const stays = /^\/console\/(sign-in|sign-out|welcome|check-in)/.test(url.pathname) || url.searchParams.has('lang');
  return inside && !stays && !(url.hash && url.pathname === location.pathname) ? url.pathname + url.search : null;
}

/** The data of an answer; throws what the shell shows in place of the page. */
export function expect(answer) {
  if (answer.ok) return answer.data;
  throw Object.assign(new Error(answer.code), { answer });
}

/** A moment with its seconds, for lists of events. */
export const exactly = (time) => new Intl.DateTimeFormat(lang, {
  year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23',
}).format(typeof time === 'number' ? time : Date.parse(time));

/** A moment as a time element; a dash for none. */
export function when(time) {
  if (!time) return '\u2013';
  const ms = typeof time === 'number' ? time : Date.parse(time);
  return h('time', { datetime: new Date(ms).toISOString(), title: exactly(ms) }, moment(ms));
}

/** The heading of a page with its buttons, then its content. back: [address, text]. */
export function frame({ title, more, tools = [], back }, ...content) {
  return h('div', { class: 'console-page' },
    back && h('a', { class: 'back', href: back[0] }, '\u2190 ' + back[1]),
    h('div', { class: 'page-head' },
      h('div', {}, h('h1', {}, title), more && h('p', { class: 'soft' }, more)),
      h('div', { class: 'tools' }, tools)),
    content.flat());
}

/** A part of a page. */
export function part(title, ...content) {
  const id = unique('part');
  return h('section', { class: 'part', 'aria-labelledby': id }, title && h('h2', { id }, title), content.flat());
}

/** Names and values. */
export const facts = (pairs) => h('dl', { class: 'console-facts' }, pairs.filter(Boolean).map(([name, value]) =>
  h('div', {}, h('dt', {}, name), h('dd', {}, value ?? '\u2013'))));

/** A word with a colour: state is open, scheduled, paused, closed, good, warn or bad. */
export const badge = (text, state = '') => h('span', { class: 'badge ' + state }, text);

/**
 * A table; on a telephone each row becomes a card.
 * columns: [{title, cell(row), number: true}]; the first is the head of its row. empty: text for no rows.
 */
export function table(columns, rows, { empty = t('console.none'), caption = '', row = () => ({}) } = {}) {
  if (rows.length === 0) return h('p', { class: 'nothing' }, empty);
  return h('table', { class: 'list' },
    caption && h('caption', { class: 'unseen' }, caption),
    h('thead', {}, h('tr', {}, columns.map((column) => h('th', { scope: 'col', class: column.number && 'number-cell' }, column.title)))),
    h('tbody', {}, rows.map((item) => h('tr', row(item), columns.map((column, i) => {
      const value = column.cell(item);
      const shown = typeof value === 'number' ? number(value) : value ?? '\u2013';
      return i === 0
        ? h('th', { scope: 'row', class: column.number && 'number-cell' }, shown)
        : h('td', { 'data-title': column.title, class: column.number && 'number-cell' }, shown);
    })))));
}

/** What stands in place of a list that has no rows yet: what it is for, the steps to a first row, and a button or link that begins. */
export const lesson = (text, steps, begin) => h('div', { class: 'nothing lesson' },
  h('p', {}, text), h('ol', {}, steps.map((step) => h('li', {}, step))), begin);

/** Grey bars in place of a page that is slow to load. */
export const skeleton = () => h('div', { class: 'skeleton', 'aria-hidden': 'true' }, Array.from({ length: 6 }, () => h('span', {})));

/** A list that grows by cursor: load(cursor) answers {rows, next}; show(rows) makes an element. */
export async function pages(load, show) {
  const box = h('div', { class: 'paged' });
  const more = h('button', { class: 'button quiet small', type: 'button' }, t('console.more'));
  let next;
  const fetchMore = async () => {
    more.disabled = true;
    const found = await load(next);
    more.disabled = false;
    if (!found) return;
    more.before(show(found.rows));
    next = found.next;
    more.hidden = !next;
  };
  more.addEventListener('click', fetchMore);
  box.append(more);
  await fetchMore();
  return box;
}

/**
 * A labelled field. type: text, number, datetime-local, search, checkbox, textarea or select (options: [[value, text]]).
 * The value of read(): text, a number, an ISO instant, a boolean; null when empty.
 */
export function field({ name, label, help = '', type = 'text', value = '', options = [], required = false, ...attributes }) {
  const id = unique(name.replaceAll(/\W/g, '-'));
  const shared = { id, name, required, 'aria-describedby': help ? id + '-help ' + id + '-problem' : id + '-problem', ...attributes };
  const control = type === 'select'
    ? h('select', shared, options.map(([key, text]) => h('option', { value: key, selected: String(key) === String(value) }, text)))
    : type === 'textarea' ? h('textarea', shared, value ?? '')
    : h('input', { ...shared, type, value: type === 'datetime-local' ? local(value) : type === 'checkbox' ? null : value ?? '', checked: type === 'checkbox' && Boolean(value), step: type === 'datetime-local' ? 1 : attributes.step });
  const problem = h('p', { class: 'field-problem', id: id + '-problem', hidden: true });
  const node = h('div', { class: type === 'checkbox' ? 'field check' : 'field' },
    type === 'checkbox' && control, h('label', { for: id }, label), type !== 'checkbox' && control,
    help && h('p', { class: 'soft', id: id + '-help' }, help), problem);
  return {
    name, node, control, label,
    read() {
      if (type === 'checkbox') return control.checked;
      const text = control.value.trim();
      if (text === '') return null;
      if (type === 'number') return Number(text);
      return type === 'datetime-local' ? new Date(text).toISOString() : text;
    },
    refuse(text) {
      problem.hidden = !text;
      say(problem, text ?? '');
      if (text) control.setAttribute('aria-invalid', 'true');
      else control.removeAttribute('aria-invalid');
    },
  };
}

/** An instant as the value of a datetime-local field, in the operator's time zone. */
function local(instant) {
  if (!instant) return '';
  const at = new Date(instant);
  return new Date(at - at.getTimezoneOffset() * 60000).toISOString().slice(0, 19);
}

/** Signs in again in a page of its own, so that this one keeps what is typed. */
export const signInLink = () => h('a', { href: '/console/sign-in', target: '_blank', rel: 'noopener' }, t('console.sign_in_again'));

/** The server's message with the labels of the form in place of the names of the API. */
function labelled({ message, data }, fields) {
  const refused = (data?.field ?? '').replace(/\[.*/, '');
  const bare = (name) => name.replace(/^\w+\./, '');
  const labels = new Map(fields.flatMap(({ name, label }) => [[bare(name), label], [name, label]]));
  return message.replaceAll(/[a-z]\w*(?:\.[\w-]+)*/g, (word) =>
    (word.includes('_') || refused.endsWith(word)) && (labels.get(word) ?? labels.get(bare(word))) || word);
}

/** Shows the server's refusal at its field, else in the box. fields: those of field(). */
export function refuse(answer, fields, box) {
  for (const each of fields) each.refuse('');
  // Names from the API have the path of the field: texts.en, images[2].
  const name = '.' + (answer.data?.field ?? '').replace(/\[.*/, '');
  const found = fields.find((each) => name.endsWith('.' + each.name));
  const text = labelled(answer, fields);
  found?.refuse(text);
  box.hidden = Boolean(found);
  say(box, found ? '' : text);
  if (answer.status === 401) box.append(signInLink());
  (found?.control ?? box).focus();
}

export const problemBox = () => h('p', { class: 'note bad', role: 'alert', tabindex: -1, hidden: true });

/** Whether an act without an answer was done: look() gets what run() got and says true, false, or null when it cannot see. Its effect may be a moment late. */
async function wasDone(look, given) {
  let seen = null;
  for (let i = 0; i < LOOKS && !seen; i++) {
    if (i) await wait(LOOK_MS);
    seen = await look(given);
  }
  return seen;
}

/**
 * Asks before an act, in proportion to its harm, and does it. Resolves to the answer's data, or null.
 * title; lines: what will happen; button: text; danger; reason: true when the audit log needs one;
 * keep: text of the button that does nothing; typed: a word to type; fields: those of field(); run({reason, values}): the call, answers {ok, ...}; done: text of the message
 * afterwards, or a function of the answer's data; undo: called by the message's button with the answer's data;
 * look: says whether the act was done, for an answer that got lost (see wasDone). Without it the page is drawn again.
 */
export function act({ title, lines = [], button, danger = false, reason = false, typed = '', fields = [], keep = t('console.cancel'), preview, run, done, undo, look }) {
  return new Promise((resolve) => {
    let result = null;
    const why = reason && field({ name: 'reason', label: t('console.reason'), help: t('console.reason_help'), required: true, maxlength: 500, autocomplete: 'off' });
    const word = typed && field({ name: 'typed', label: t('console.type', { word: typed }), required: true, autocomplete: 'off', spellcheck: 'false' });
    const all = [...fields, ...(why ? [why] : []), ...(word ? [word] : [])];
    const box = problemBox();
    const send = h('button', { class: 'button ' + (danger ? 'danger' : 'primary') }, button);
    const effect = preview && h('p', { class: 'effect', 'aria-live': 'polite' });
    const values = () => Object.fromEntries(fields.map((each) => [each.name, each.read()]));
    const renew = () => {
      if (effect) say(effect, preview(values()));
    };
    let uncertain = false;
    const sought = async (answer, given) => {
      box.hidden = false;
      say(box, t('console.looking'));
      const seen = look ? await wasDone(look, given) : null;
      uncertain = seen === null;
      box.hidden = true;
      return seen ? { ok: true, data: {} } : { ...answer, message: uncertain ? answer.message + ' ' + t('console.uncertain') : t('console.not_done') };
    };
    const submit = async (event) => {
      event.preventDefault();
      if (word && word.read() !== typed) return word.refuse(t('console.type_wrong', { word: typed })), word.control.focus();
      send.disabled = true;
      const given = { reason: why ? why.read() : null, values: values() };
      let answer = await run(given);
      if (answer.lost) answer = await sought(answer, given);
      send.disabled = false;
      if (!answer.ok) return refuse(answer, all, box);
      result = answer.data;
      dialog.close();
      if (done) toast(typeof done === 'function' ? done(result) : done, 'good', undo && (() => undo(result)));
    };
    const form = h('form', { method: 'dialog', onsubmit: submit, oninput: renew },
      h('h2', { id: 'act' }, title), lines.map((line) => (line instanceof Node ? line : h('p', {}, line))), box,
      all.map((each) => each.node), effect,
      h('div', { class: 'row' },
        h('button', { class: 'button quiet', type: 'button', onclick: () => dialog.close(), autofocus: danger && all.length === 0 }, keep), send));
    const dialog = h('dialog', { class: 'act', 'aria-labelledby': 'act', onclose: () => {
      dialog.remove();
      resolve(result);
      if (uncertain && !result) document.dispatchEvent(new Event('uncertain'));
    } }, form);
    document.body.append(dialog);
    renew();
    dialog.showModal();
    (all[0]?.control ?? (danger ? null : send))?.focus();
  });
}

/** A message at the edge of the page; with undo it stays longer and has a button. */
export function toast(text, kind = 'good', undo) {
  const box = document.getElementById('toasts');
  // Only the last act can be undone: what came before it may have been overtaken.
  box.replaceChildren();
  const note = h('div', { class: 'toast ' + kind }, h('span', {}, text),
    undo && h('button', { class: 'button small quiet', onclick: () => (note.remove(), undo()) }, t('console.undo')),
    h('button', { class: 'button small quiet', 'aria-label': t('console.close'), onclick: () => note.remove() }, '\u00d7'));
  box.append(note);
  setTimeout(() => note.remove(), undo ? 20000 : 8000);
}

/** Repeats work until the page is left; the first time at once. */
export async function every(ms, signal, work) {
  await work();
  const timer = setInterval(() => document.visibilityState === 'visible' && work(), ms);
  signal.addEventListener('abort', () => clearInterval(timer));
}
