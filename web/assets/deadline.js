// The time that is left to pay, running.
import { say } from './dom.js';
import { clock, fill } from './text.js';

let timer = 0;
const box = document.querySelector('[data-left]');
const end = Date.now() + 1000 * box?.dataset.left;

function draw() {
  const left = (end - Date.now()) / 1000;
  say(box, fill(box.dataset.text, { time: clock(left) }));
  box.classList.toggle('urgent', left <= 30);
  if (left > 0) timer = setTimeout(draw, 500);
}
if (box) draw();

/** The time stands still, which the page says elsewhere. */
export function stop() {
  clearTimeout(timer);
  if (box) box.hidden = true;
}
