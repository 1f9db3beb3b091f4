// The live view of a sale: its numbers every second, and what an operator can do about them.
import { randomKey } from './api.js';
import { h, say } from './dom.js';
import { lang, number, span, t } from './text.js';
import { act, badge, every, expect, facts, field, frame, part, toast } from './console-ui.js';
import { graph } from './console-graph.js';
import { atOpening, nextEvent, priceOf, stateBadge } from './console-sales.js';

const KEEP = 15 * 60 * 1000;
const STEP = 4500;
const WAITING_LIST_MS = 5000;
const RECONNECT_MS = 5000;
const LANGUAGES = [['en', 'English'], ['zh-Hant', '繁體中文'], ['zh-Hans', '简体中文']];
const NUMBERS = ['free', 'held', 'paid', 'waiting', 'active', 'ready'];
const RATES = { joined: 'joins', admitted: 'admissions', buyers: 'orders', refused: 'refusals' };
const clockTime = new Intl.DateTimeFormat(lang, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** The state for which the stream made the page load again: the page has it even if the answer is behind. */
let stateFromStream = null;

/** Increase per second of a counter between neighbouring points. A restart of its source counts as none. */
function rates(points, name) {
  return points.slice(1).map((point, i) => {
    const seconds = (point.server_time - points[i].server_time) / 1000;
    return [point.server_time, seconds > 0 ? Math.max(0, point[name] - points[i][name]) / seconds : 0];
  });
}

/** People a second who left the line in the last two minutes. */
function pace(points) {
  const last = points.at(-1);
  const first = points.find((point) => point.server_time >= last.server_time - 120000);
  const seconds = (last.server_time - first.server_time) / 1000;
  return seconds > 0 ? Math.max(0, last.admitted - first.admitted) / seconds : 0;
}

function lastVisitor(state, now, points) {
  if (state !== 'open') return t('console.live.last_not_open');
  if (now.waiting === 0) return t(now.active > 0 ? 'console.live.last_next_batch' : 'console.live.last_none');
  if (now.free + now.held === 0) return t('console.live.last_sold_out');
  const speed = points.length > 1 ? pace(points) : 0;
  if (speed === 0) return t('console.live.last_unknown');
  const seconds = now.waiting / speed;
  return t('console.live.last', { time: seconds < 86400 ? clockTime.format(now.server_time + seconds * 1000) : t('console.live.in', { time: span(seconds) }) });
}

const noticeFields = (texts) => LANGUAGES.map(([tag, name]) => field({
  name: tag, label: t('console.live.message_in', { language: name }), type: 'textarea', value: texts[tag] ?? '', maxlength: 300, rows: 2, lang: tag,
}));
const given = (values) => Object.fromEntries(LANGUAGES.map(([tag]) => [tag, values[tag]]).filter(([, text]) => text));

/** What an operator can do: a button and a command each. state: the latest known. */
function acts({ ask, id, refresh }, product, state) {
  const path = '/products/' + id;
  const step = (word, reason) => ask('POST', path + '/' + word + (reason ? '?reason=' + encodeURIComponent(reason) : ''));
  // Whether the sale is as an act makes it; null while nobody can say.
  const looks = (test) => async () => {
    const answer = await ask('GET', path);
    return answer.ok ? test(answer.data) : null;
  };
  const shows = (texts) => async () => {
    const answer = await ask('GET', path + '/notice');
    return answer.ok ? LANGUAGES.every(([tag]) => (answer.data.texts[tag] ?? '') === (texts[tag] ?? '')) : null;
  };
  const isNow = (word) => looks((now) => now.state === word);
  const put = (texts) => ask('PUT', path + '/notice', { texts });
  // All who have a place: in line and in the next batch, to which people in their turn belong.
  const people = () => {
    const { waiting = 0, active = 0, ready = 0, held = 0 } = state.now ?? {};
    return { people: number(waiting + active), ready: number(ready), held: number(held) };
  };
  const restore = async (call) => {
    const answer = await call();
    toast(answer.ok ? t('console.undone') : answer.message, answer.ok ? 'good' : 'bad');
    refresh();
  };

  async function pause() {
    const before = state.notice;
    const done = await act({
      title: t('console.live.pause_ask', { name: product.name }),
      lines: [t('console.live.pause_effect', people())],
      fields: noticeFields(before), button: t('console.live.pause'), done: t('console.live.paused'),
      look: async ({ values }) => await isNow('paused')() && shows(given(values))(),
      async run({ values }) {
        const answer = await step('pause');
        return answer.ok ? put(given(values)) : answer;
      },
      undo: () => restore(async () => {
        const answer = await step('resume');
        return answer.ok ? put(before) : answer;
      }),
    });
    if (done) refresh();
  }

  async function resume() {
    const before = state.notice;
    const shown = Object.keys(before).length > 0;
    const done = await act({
      title: t('console.live.resume_ask', { name: product.name }),
      lines: [t('console.live.resume_effect', people())],
      fields: shown ? [field({ name: 'remove', type: 'checkbox', label: t('console.live.remove_message'), value: true })] : [],
      button: t('console.live.resume'), done: t('console.live.resumed'),
      look: async ({ values }) => await looks((now) => now.state !== 'paused')() && (values.remove ? shows({})() : true),
      async run({ values }) {
        const answer = await step('resume');
        return answer.ok && values.remove ? put({}) : answer;
      },
      undo: () => restore(async () => {
        const answer = await step('pause');
        return answer.ok ? put(before) : answer;
      }),
    });
    if (done) refresh();
  }

  async function open() {
    const done = await act({
      title: t('console.live.open_ask', { name: product.name }),
      lines: [t('console.live.open_effect', { stock: number(product.total_stock), price: priceOf(product), ...people() })],
      button: t('console.live.open'), done: t('console.live.opened'), run: () => step('open'), look: isNow('open'),
    });
    if (done) refresh();
  }

  async function close() {
    const done = await act({
      title: t('console.live.close_ask', { name: product.name }),
      lines: [t('console.live.close_effect', people())],
      danger: true, reason: true, typed: product.name, button: t('console.live.close'), done: t('console.live.closed'), look: isNow('closed'),
      run: ({ reason }) => step('close', reason),
    });
    if (done) refresh();
  }

  async function addStock() {
    const key = randomKey();
    const units = () => atOpening(product, state.now) ?? state.now?.free ?? 0;
    const done = await act({
      title: t('console.live.stock_ask', { name: product.name }),
      fields: [field({ name: 'quantity', type: 'number', min: 1, label: t('console.live.units'), required: true })],
      preview: ({ quantity }) => (quantity > 0 && Number.isInteger(quantity) ? t('console.live.stock_effect', {
        free: number(units()), after: number(units() + quantity), total: number(product.total_stock + quantity),
      }) : ''),
      button: t('console.live.stock'), done: t('console.live.stock_added'),
      run: ({ values }) => ask('POST', path + '/stock', { quantity: values.quantity, key }),
      // A repeat with its key adds nothing, so it is the way to look.
      look: async ({ values }) => (await ask('POST', path + '/stock', { quantity: values.quantity, key })).ok || null,
    });
    if (done) refresh();
  }

  async function rate() {
    const names = ['active_capacity', 'ready_slots', 'admit_per_second'];
    const before = Object.fromEntries(names.map((name) => [name, product.policy[name]]));
    const done = await act({
      title: t('console.live.rate_ask', { name: product.name }),
      lines: [t('console.live.rate_more')],
      fields: names.map((name) => field({
        name, type: 'number', min: 1, label: t('console.sale.' + name), help: t('console.sale.' + name + '.help'), value: before[name], required: name !== 'admit_per_second',
      })),
      preview: (values) => names.filter((name) => values[name] !== before[name]).map((name) =>
        t('console.live.change', { name: t('console.sale.' + name), was: before[name] ?? t('console.sale.none'), now: values[name] ?? t('console.sale.none') })).join(' · '),
      button: t('console.live.save_rate'), done: t('console.sale.saved'),
      run: ({ values }) => ask('PATCH', path, { policy: values }), look: ({ values }) => looks((now) => names.every((name) => (now.policy[name] ?? null) === values[name]))(),
      undo: () => restore(() => ask('PATCH', path, { policy: before })),
    });
    if (done) refresh();
  }

  async function joins() {
    const stop = product.policy.joins !== 'stopped';
    const set = (value) => ask('PATCH', path, { policy: { joins: value } });
    const done = await act({
      title: t(stop ? 'console.live.drain_ask' : 'console.live.undrain_ask', { name: product.name }),
      lines: [t(stop ? 'console.live.drain_effect' : 'console.live.undrain_effect', people())],
      button: t(stop ? 'console.live.drain' : 'console.live.undrain'), done: t(stop ? 'console.live.drained' : 'console.live.undrained'),
      run: () => set(stop ? 'stopped' : 'open'), look: looks((now) => (now.policy.joins === 'stopped') === stop),
      undo: () => restore(() => set(stop ? 'open' : 'stopped')),
    });
    if (done) refresh();
  }

  async function message() {
    const before = state.notice;
    const done = await act({
      title: t('console.live.message_ask', { name: product.name }),
      lines: [t('console.live.message_effect', people())],
      fields: noticeFields(before), button: t('console.live.message'), done: t('console.live.message_sent'),
      run: ({ values }) => put(given(values)), look: ({ values }) => shows(given(values))(),
      undo: () => restore(() => put(before)),
    });
    if (done) refresh();
  }

  const is = (...states) => states.includes(product.state);
  return [
    is('scheduled') && { id: 'open', run: open, kind: 'primary' },
    is('open', 'scheduled') && { id: 'pause', run: pause, kind: is('open') ? 'primary' : 'quiet' },
    is('paused') && { id: 'resume', run: resume, kind: 'primary' },
    !is('closed') && { id: 'message', run: message, kind: 'quiet' },
    !is('closed') && { id: 'stock', run: addStock, kind: 'quiet' },
    !is('closed') && { id: 'rate', label: t('console.live.change_rate'), run: rate, kind: 'quiet' },
    !is('closed') && { id: product.policy.joins === 'stopped' ? 'undrain' : 'drain', run: joins, kind: 'quiet' },
    !is('closed') && { id: 'close', run: close, kind: 'quiet ends' },
  ].filter(Boolean).map((each) => ({ label: t('console.live.' + each.id), ...each }));
}

function checksPart() {
  const box = h('div', { class: 'checks' });
  const node = part(t('console.live.parts'), box);
  return {
    node,
    set(data) {
      const ledger = data.ledger;
      const behind = ledger.behind ?? 0;
      const list = [
        ...data.checks.map((check) => ({
          name: check.name, good: check.up && !check.degraded, bad: !check.up, text: check.detail || t(check.up ? 'console.live.works' : 'console.live.down'),
        })),
        {
          name: t('console.live.ledger'), bad: !ledger.working || ledger.dead_letters > 0, good: ledger.working && behind < 1000,
          text: ledger.dead_letters > 0 ? t('console.live.dead_letters', { n: number(ledger.dead_letters) })
            : behind === 0 ? t('console.live.caught_up') : t('console.live.behind', { n: number(behind), time: span((ledger.oldest_ms ?? 0) / 1000) }),
        },
        data.refunds && {
          name: t('console.live.refunds'), bad: data.refunds.failed > 0, good: data.refunds.failed === 0,
          text: t('console.live.refunds_text', { waiting: number(data.refunds.waiting), failed: number(data.refunds.failed) }),
        },
        data.balanced !== undefined && {
          name: t('console.live.balance'), bad: data.balanced === false, good: data.balanced === true,
          text: t(data.balanced === null ? 'console.live.balance_unknown' : data.balanced ? 'console.live.balanced' : 'console.live.unbalanced'),
        },
      ].filter(Boolean);
      box.replaceChildren(...list.map((each) => h('div', { class: 'check-row' },
        h('span', {}, each.name), badge(each.text, each.bad ? 'bad' : each.good ? 'good' : 'warn'))));
    },
  };
}

export async function show(context) {
  const { ask, id, may, signal, refresh, command } = context;
  const [product, notice] = (await Promise.all([ask('GET', '/products/' + id), ask('GET', '/products/' + id + '/notice')])).map(expect);
  if (stateFromStream?.id === id) product.state = stateFromStream.state;
  stateFromStream = null;
  const state = { now: null, notice: notice.texts };
  const points = [];

  const tiles = Object.fromEntries(NUMBERS.map((name) => [name, h('dd', {}, '\u2013')]));
  const free = h('dt', {}, t('console.live.free'));
  const graphs = Object.fromEntries(Object.keys(RATES).map((name) => [name, graph(t('console.live.' + RATES[name]))]));
  const last = h('p', { class: 'last-visitor', 'aria-live': 'off' }, t('console.live.last_unknown'));
  const link = h('span', { class: 'link' }, t('console.live.connecting'));
  const away = h('p', { class: 'note bad', role: 'alert', hidden: true }, t('console.live.away'));
  const crowded = h('p', { class: 'note bad', role: 'alert', hidden: true, id: 'full-network' });
  const checks = checksPart();
  const registered = h('p', { id: 'waiting-list', hidden: true });
  const { deposit } = product.policy;
  const deposits = h('p', { id: 'deposits', hidden: !deposit });
  const next = nextEvent(product);
  const list = may('seller') ? acts(context, product, state) : [];
  list.forEach((each) => command(each.label, each.run));
  const texts = Object.entries(state.notice);

  function drawGraphs() {
    for (const [name, each] of Object.entries(graphs)) each.set(rates(points, name));
  }

  function take(now) {
    state.now = now;
    away.hidden = true;
    for (const name of NUMBERS) say(tiles[name], number(now[name]));
    // Before the opening no unit is released; 0 would read as sold out.
    const opening = atOpening(product, now);
    say(free, t(opening === null ? 'console.live.free' : 'console.live.free_at_opening'));
    if (opening !== null) say(tiles.free, number(opening));
    const previous = points.at(-1);
    if (!previous || now.server_time - previous.server_time >= STEP) {
      points.push(now);
      while (now.server_time - points[0].server_time > KEEP) points.shift();
      drawGraphs();
    }
    say(last, lastVisitor(now.state, now, points));
    crowded.hidden = !now.full_network;
    say(crowded, now.full_network ? t('console.live.full_network', { joins: number(now.full_network) }) : '');
    checks.set(now);
    say(link, t('console.live.live', { n: number(now.watching) }));
    // Somebody else, or the clock, has changed the state: the buttons have to follow.
    if (now.state && now.state !== product.state && !document.querySelector('dialog[open]')) {
      stateFromStream = { id, state: now.state };
      refresh();
    }
  }

  let stream;
  // A hidden page has no stream: over HTTP/1.1 a browser opens six connections to a server.
  function connect() {
    if (signal.aborted || document.hidden || (stream && stream.readyState !== EventSource.CLOSED)) return;
    stream = new EventSource('/api/admin/products/' + id + '/live/stream');
    stream.addEventListener('history', (event) => {
      points.splice(0, points.length, ...JSON.parse(event.data).points);
      if (points.length > 1) drawGraphs();
    });
    stream.addEventListener('now', (event) => {
      link.className = 'link live';
      take(JSON.parse(event.data));
    });
    stream.addEventListener('away', (event) => {
      away.hidden = false;
      checks.set(JSON.parse(event.data));
    });
    stream.onerror = lost;
  }
  async function lost() {
    if (!link.classList.contains('lost')) {
      link.className = 'link lost';
      say(link, t('console.live.lost'));
    }
    // The browser does not repeat a stream that the server refuses, for example after the end of the session.
    if (stream.readyState !== EventSource.CLOSED) return;
    const { status } = await ask('GET', '/me');
    if (signal.aborted) return;
    if (status === 401) say(link, t('console.live.signed_out'));
    setTimeout(connect, RECONNECT_MS);
  }
  connect();
  document.addEventListener('visibilitychange', () => (document.hidden ? stream?.close() : connect()), { signal });
  signal.addEventListener('abort', () => stream?.close());
  const hasList = product.policy.payment === 'required' && product.policy.pre_queue !== 'draw';
  if (hasList && may('support', 'seller')) {
    every(WAITING_LIST_MS, signal, async () => {
      const answer = await ask('GET', '/products/' + id + '/waiting-list?limit=1');
      const { people, units } = answer.data.counts?.waiting ?? { people: 0, units: 0 };
      registered.hidden = people === 0;
      say(registered, people ? t('console.live.waiting_list', { people: number(people), units: number(units) }) : '');
    });
  }

  if (deposit && may('support', 'seller')) {
    every(WAITING_LIST_MS, signal, async () => {
      const { ok, data } = await ask('GET', '/products/' + id + '/deposits');
      if (!ok) return;
      const counts = Object.fromEntries(['paid', 'counted', 'kept', 'returned'].map((name) => [name, number(data[name].count)]));
      say(deposits, t('console.live.deposits', { ...counts, refunded: number(data.returned.refunded) }));
    });
  }

  return frame({
    title: product.name,
    back: ['/console/sales', t('console.nav.sales')],
    more: h('span', { class: 'state-line' }, stateBadge(product.state), product.policy.joins === 'stopped' && badge(t('console.live.no_joins'), 'warn'), next && h('span', {}, next[1], ' ', new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short' }).format(next[0])), link),
    tools: [
      h('a', { class: 'button quiet small', href: '/console/sales/' + id + '/report' }, t('console.report.link')),
      may('seller') && product.state !== 'closed' && h('a', { class: 'button quiet small', href: '/console/sales/' + id + '/edit' }, t('console.sale.edit_link')),
      h('a', { class: 'button quiet small', href: '/p/' + id, target: '_blank', rel: 'noopener' }, t('console.live.shop')),
    ],
  },
  away,
  crowded,
  list.length > 0 && h('div', { class: 'acts', role: 'group', 'aria-label': t('console.live.acts') },
    list.map((each) => h('button', { class: 'button small ' + each.kind, id: 'act-' + each.id, onclick: each.run }, each.label))),
  texts.length > 0 && h('div', { class: 'note good', id: 'shown-notice' },
    h('div', {}, h('strong', {}, t('console.live.message_shown')), texts.map(([tag, text]) => h('p', { lang: tag }, text)))),
  h('dl', { class: 'tiles' }, NUMBERS.map((name) => h('div', { class: 'tile ' + name }, name === 'free' ? free : h('dt', {}, t('console.live.' + name)), tiles[name]))),
  last,
  registered,
  deposits,
  h('div', { class: 'graphs' }, Object.values(graphs).map((each) => each.node)),
  h('p', { class: 'soft' }, t('console.live.refusals_more')),
  checks.node,
  part(t('console.live.settings'), facts([
    [t('console.sale.price'), priceOf(product)],
    [t('console.sale.total_stock'), number(product.total_stock)],
    [t('console.sale.preset'), t('console.sale.preset.' + product.policy.preset)],
    [t('console.sale.payment'), t('console.sale.payment.' + product.policy.payment)],
    deposit && [t('console.sale.deposit'), (await import('./console-sale-form.js')).depositText(deposit, product.currency)],
    [t('console.sale.active_capacity'), number(product.policy.active_capacity)],
    [t('console.sale.ready_slots'), number(product.policy.ready_slots)],
    [t('console.sale.admit_per_second'), product.policy.admit_per_second ?? t('console.sale.none')],
    [t('console.sale.max_per_user'), product.policy.max_per_user ?? t('console.sale.none')],
  ])));
}
