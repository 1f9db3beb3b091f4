// The time that is left to pay, running.
import { say } from './dom.js';
import { clock, fill } from './text.js';

const box = document.querySelector('[data-left]');
const end = Date.now() + 1000 * box?.dataset.left;

function draw() {
  const left = (end - Date.now()) / 1000;
  say(box, fill(box.dataset.text, { time: clock(left) }));
  box.classList.toggle('urgent', left <= 30);
  if (left > 0) setTimeout(draw, 500);
}
if (box) draw();
