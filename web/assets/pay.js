// The sandbox payment page: sends the chosen answer and goes back to the order.
import { call } from './api.js';
import { say } from './dom.js';
import { money, page } from './text.js';

const form = document.getElementById('sandbox');
const problem = document.getElementById('problem');
const place = JSON.parse(localStorage.getItem('fairgate.place.' + page.product.id) ?? 'null');
const path = '/api/orders/' + encodeURIComponent(page.order_id);

// The cookie names the newest place only; an order of an older one is known to the browser's own store.
call('GET', path, { session: place?.session }).then((answer) => {
  if (answer.ok && answer.data.amount !== undefined) say(document.getElementById('amount'), money(answer.data.amount, answer.data));
});

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const buttons = form.querySelectorAll('button');
  buttons.forEach((button) => (button.disabled = true));
  const answer = await call('POST', path + '/pay', {
    session: place?.session,
    body: { result: event.submitter.value },
  });
  if (answer.ok) {
    location.assign('/p/' + page.product.id);
    return;
  }
  problem.textContent = answer.message;
  problem.hidden = false;
  buttons.forEach((button) => (button.disabled = false));
});
