// The step before a join: a slider, a passkey, or a calculation of this device.
import { call } from './api.js';
import { prove } from './challenge.js';
import { h, say } from './dom.js';
import { page, span, t } from './text.js';

const host = document.getElementById('slider');
const work = document.getElementById('work');
const problem = document.getElementById('step-problem');
const passkey = document.querySelector('[data-passkey]');

function complain(text) {
  problem.hidden = !text;
  say(problem, text);
}

const done = () => location.assign(page.next);

/** Sends the solution of a step; whether it was right. */
async function pass(step, token) {
  const answer = await call('POST', '/api/challenge/pass', { body: { product_id: page.sale, ticket: page.ticket, step, token } });
  if (answer.ok) done();
  // The ticket is too old: joining again gives a new one.
  else if (answer.status === 400) location.assign('/p/' + page.sale);
  else complain(answer.retryAfter ? answer.message + ' ' + t('error.retry', { time: span(answer.retryAfter) }) : answer.message);
  return answer.ok;
}

/** The picture, the piece, and a native range input, which the pointer, touch and keys move. */
async function slide() {
  const answer = await call('GET', '/api/challenge?product_id=' + page.sale + '&level=slider');
  if (!answer.ok) return complain(answer.message);
  const { challenge, width, height, size, top, picture, piece } = answer.data;
  const percent = (part, whole) => (100 * part) / whole + '%';
  const image = h('img', { src: picture, alt: '', width, height, draggable: 'false' });
  const part = h('img', { src: piece, alt: '', class: 'piece', draggable: 'false' });
  const range = h('input', { type: 'range', min: 0, max: width - size, step: 1, value: 0 });
  const box = h('div', { class: 'slide' }, image, part);
  const move = () => {
    part.style.left = percent(range.value, width);
    // A screen reader would read the pixels.
    range.setAttribute('aria-valuetext', t('prove.slider.at', { share: Math.round((100 * range.value) / range.max) }));
  };
  part.style.top = percent(top, height);
  part.style.width = percent(size, width);
  range.addEventListener('input', move);
  // The piece itself can be dragged, too.
  part.addEventListener('pointerdown', (event) => {
    const [from, start] = [event.clientX, Number(range.value)];
    event.preventDefault();
    part.setPointerCapture(event.pointerId);
    part.onpointermove = ({ clientX }) => {
      range.value = start + ((clientX - from) * width) / box.clientWidth;
      move();
    };
    part.onpointerup = part.onpointercancel = () => (part.onpointermove = null);
  });
  const button = h('button', { class: 'button primary big', type: 'button' }, t('prove.slider.done'));
  const other = h('button', { class: 'button text', type: 'button', onclick: slide }, t('prove.slider.other'));
  button.addEventListener('click', async () => {
    button.disabled = true;
    complain('');
    if (!(await pass('slider', challenge + '.' + range.value))) {
      await slide();
      host.querySelector('input')?.focus();
    }
  });
  move();
  host.replaceChildren(box, h('label', {}, h('span', {}, t('prove.slider.label')), range), button, other);
}

work.hidden = false;
work.addEventListener('click', async () => {
  const status = document.getElementById('work-status');
  work.disabled = true;
  complain('');
  say(status, t('check.more'));
  try {
    const token = await prove(page.sale, {
      level: 'harder',
      host: document.getElementById('widget'),
      onProgress() {},
      signal: new AbortController().signal,
    });
    await pass('work', token);
  } catch (failure) {
    complain(failure instanceof Error ? t('check.failed') : failure.message);
  }
  work.disabled = false;
  say(status, '');
});

if (host) slide();
if (passkey) {
  passkey.dataset.query = '?product_id=' + page.sale + '&ticket=' + encodeURIComponent(page.ticket);
  passkey.dataset.next = page.next;
  import('./passkey.js');
}
