// The sandbox payment page: sends the chosen answer and goes back to the order.
import { call } from './api.js';
import { stop } from './deadline.js';
import { local } from './store.js';
import { page } from './text.js';

const form = document.getElementById('sandbox');
const problem = document.getElementById('problem');
const place = JSON.parse(local.getItem('fairgate.place.' + page.product.id) ?? 'null');
const path = '/api/orders/' + encodeURIComponent(page.order_id);

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const buttons = form.querySelectorAll('button');
  buttons.forEach((button) => (button.disabled = true));
  const answer = await call('POST', path + '/pay', {
    session: place?.session,
    body: { result: event.submitter.value },
  });
  if (answer.ok) {
    location.assign(page.back);
    return;
  }
  if (answer.code === 'PAYMENT_PROVIDER_UNAVAILABLE') {
    const order = await call('GET', path, { session: place?.session });
    if (order.data?.deadline_stopped) stop();
  }
  problem.textContent = answer.message;
  problem.hidden = false;
  buttons.forEach((button) => (button.disabled = false));
});
