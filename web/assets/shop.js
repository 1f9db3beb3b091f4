// Keeps the list of sales fresh. The server has drawn it already; only changes are applied.
import { call, now } from './api.js';
import { mendPictures, say } from './dom.js';
import { local } from './store.js';
import { number, saleState, stateText, stockText, t } from './text.js';

const cards = new Map([...document.querySelectorAll('[data-product]')].map((card) => [card.dataset.product, card]));
let products = [];
const STORED = 'fairgate.place.';

/* Where this browser stands in each line. */
async function drawPlaces() {
  for (const [id, card] of cards) {
    const place = JSON.parse(local.getItem(STORED + id) ?? 'null');
    const answer = place && (await call('GET', '/api/queue/status', { session: place.session }));
    const { queue_status: state, people_ahead: ahead } = (answer?.ok && answer.data) || {};
    const mine = card.querySelector('.mine');
    mine.hidden = !['waiting', 'active', 'ready_to_purchase'].includes(state);
    mine.classList.toggle('turn', state === 'ready_to_purchase');
    if (!mine.hidden) say(mine, state === 'ready_to_purchase' ? t('ready.title') : ahead < 0 ? t('wait.title') : t('shop.mine', { place: number(ahead + 1) }));
  }
}

function draw() {
  for (const product of products) {
    const card = cards.get(product.id);
    if (!card) continue;
    const state = saleState(product, now());
    const badge = card.querySelector('.badge');
    badge.className = 'badge ' + state;
    say(badge, stateText(product, state, now()));
    // Unknown (null) while Redis does not answer.
    const { remaining_stock: left } = product;
    say(card.querySelector('.stock'), stockText(product, state));
    const meter = card.querySelector('meter');
    meter.hidden = left === null;
    meter.value = left ?? 0;
  }
}

async function refresh() {
  if (document.visibilityState === 'visible') {
    const answer = await call('GET', '/api/products');
    if (answer.ok) {
      products = answer.data.products ?? answer.data;
      // A sale that appeared or went away is drawn by the server.
      if (products.length !== cards.size || products.some((product) => !cards.has(product.id))) location.reload();
      draw();
      await drawPlaces();
    }
  }
  setTimeout(refresh, 4000 + Math.random() * 2000);
}

mendPictures();
refresh();
setInterval(draw, 1000);
