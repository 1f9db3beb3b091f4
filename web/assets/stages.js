// What the visitor sees at each stage: built once, then only updated, so that focus survives.
import { now } from './api.js';
import { bar, h, icon, say } from './dom.js';
import { notify, screen, sound, unlock } from './signal.js';
import { clock, depositText, estimate, lang, millis, moment, money, nextBatch, number, page, sentences, span, t } from './text.js';

const p = (kind, ...children) => h('p', { class: kind }, ...children);
const label = (text) => h('span', { class: 'label' }, text);
const grow = () => h('div', { class: 'grow' });
const heading = (text, more) => [h('h2', { tabindex: -1 }, text), more && p('more', more)];
const note = (kind, image) => {
  const words = h('span', {});
  const node = h('p', { class: 'note ' + kind, hidden: true }, icon(image), words);
  return (text) => {
    if (text === undefined) return node;
    node.hidden = !text;
    say(words, text || '');
    return node;
  };
};
const button = (text, act, kind = 'primary') => h('button', { class: 'button ' + kind, type: 'button', onclick: () => (unlock(), act()) }, text);
const go = (href, text) => href && h('a', { class: 'button primary big', href }, t(text));
const fact = (label) => {
  const value = h('dd', {}, '\u2013');
  return { node: h('div', { class: 'fact' }, h('dt', {}, label), value), set: (text) => say(value, text) };
};

/** While everything is taken: what may come, and when. words = the text for units that others hold. */
function taken(product, words, stay) {
  const { held_stock: units, next_payment_deadline_at: deadline } = product;
  const next = nextBatch(product, 'sold_out');
  const left = (millis(deadline) - now()) / 1000;
  return sentences(
    next ? t('sold.next', { time: moment(next) }) : t(units === 0 ? 'sold.gone' : words),
    (next || units === 0) && stay && t(stay),
    units > 0 && t('held.some', { n: number(units) }),
    units > 0 && left > 0 && t('held.deadline', { time: clock(left) }),
  );
}

/** A button for joining; shows how long joining is barred after an order that was not paid. */
function joining(act, text) {
  const join = button(text, act.join);
  return {
    node: join,
    set(cooldown, otherwise) {
      join.disabled = cooldown > 0;
      say(join, cooldown > 0 ? t('join.cooldown', { time: clock(cooldown) }) : otherwise);
    },
  };
}

/** Nobody in line yet: what the sale does and the way in. */
export function idle({ act }) {
  const title = h('h2', { tabindex: -1 });
  const more = p('more');
  const time = h('p', { class: 'count', role: 'timer', hidden: true });
  const date = h('p', { class: 'soft', hidden: true });
  const limit = p('soft');
  const invitation = p('soft');
  const prepare = h('p', { class: 'soft', hidden: true });
  const joinButton = joining(act, '');
  const join = joinButton.node;
  const toDraw = h('a', { class: 'button primary', href: location.pathname + '/draw' }, t('join.draw'));
  return {
    node: [title, time, date, more, limit, invitation, prepare, grow(), join, toDraw],
    update({ product, sale, cooldown, invited }) {
      const over = sale === 'closed';
      const stopped = !over && product.joins === 'stopped';
      const closed = over || stopped || (sale === 'sold_out' && page.deposit?.offered === false && !isPaid(page.deposit));
      const opens = sale === 'scheduled' ? millis(product.opens_at) : null;
      const words = 'join.' + (stopped ? 'stopped' : sale);
      say(title, t(words));
      const isDraw = product.pre_queue === 'draw' && !closed;
      const order = !stopped && sale === 'scheduled' && t(product.pre_queue === 'shuffle' ? 'wait.shuffle' : 'join.arrival');
      const isTaken = !stopped && sale === 'sold_out';
      say(more, isTaken ? taken(product, words + '.more') : isDraw ? t('join.draw.more') : sentences(t(words + '.more'), order));
      time.hidden = date.hidden = !opens;
      if (opens) {
        say(time, clock((opens - now()) / 1000));
        say(date, t('join.opens_at', { time: moment(opens) }));
      }
      const each = product.max_per_user;
      limit.hidden = closed || !each;
      if (each) say(limit, t('limit.each.' + (product.identity ?? 'device'), { n: number(each) }));
      invitation.hidden = !invited || closed;
      say(invitation, t('tiers.invited'));
      const help = { account: '/account?', phone: '/account/verify?kind=phone&', person: '/account/verify?kind=number&' }[product.identity];
      prepare.hidden = !help || closed;
      if (!prepare.hidden && !prepare.firstChild) {
        prepare.append(h('a', { href: help + 'next=' + encodeURIComponent('/p/' + product.id) }, t('join.prepare.' + product.identity)));
      }
      toDraw.hidden = !isDraw;
      join.hidden = closed || isDraw;
      const gone = sale === 'sold_out' && !nextBatch(product, sale);
      joinButton.set(cooldown, t(gone ? 'join.sold_out.button' : sale === 'scheduled' ? 'join.scheduled.button' : 'join.button'));
      join.classList.toggle('quiet', gone);
    },
  };
}

/** The gate's check, then joining. */
export function checking({ act }) {
  const [title, more] = heading(t('check.title'), t('check.more'));
  const progress = bar(t('check.title'));
  const percent = p('soft center');
  const host = h('div', { class: 'widget' });
  return {
    host,
    node: [title, more, grow(), progress.node, percent, host, grow(), button(t('check.cancel'), act.stopCheck, 'quiet')],
    update({ check }) {
      say(title, t(check.joining ? 'check.joining' : 'check.title'));
      more.hidden = check.joining;
      progress.node.classList.toggle('endless', check.joining || check.share === null);
      progress.set(check.joining ? 1 : (check.share ?? 0));
      say(percent, check.joining || check.share === null ? '' : Math.round(check.share * 100) + '\u2009%');
    },
  };
}

function call(act) {
  const choice = (label, image, press) => {
    const state = h('span', { class: 'state' });
    const node = h('button', { class: 'choice', type: 'button', onclick: async () => (unlock(), await press(), act.redraw()) }, icon(image), h('span', {}, label), state);
    return (on, text) => {
      node.setAttribute('aria-pressed', on);
      say(state, text ?? t(on ? 'call.on' : 'call.off'));
      return node;
    };
  };
  const bell = choice(t('call.sound'), 'sound', sound.toggle);
  const letter = choice(t('call.notify'), 'bell', notify.ask);
  const light = choice(t('call.awake'), 'screen', screen.toggle);
  const update = () => {
    const { state } = notify;
    letter(state === 'granted', state === 'denied' ? t('call.notify.denied') : undefined).hidden = state === 'absent';
    light(screen.on).hidden = !screen.possible;
    return bell(sound.on);
  };
  const nodes = [update(), letter(notify.state === 'granted'), light(screen.on)];
  return { node: h('div', { class: 'call', role: 'group', 'aria-label': t('call.title') }, p('label', t('call.title')), h('div', { class: 'choices' }, nodes)), update };
}

const isPaid = (deposit) => deposit?.status === 'paid';

/** Whether the order is hidden until the sale opens. */
const isHidden = (status) => status.queue_status === 'waiting' && status.queue_position_waiting === -1;

/** People who get their turn earlier. */
export const ahead = (status) =>
  Math.max(0, status.people_ahead ?? (status.queue_status === 'active' ? status.queue_position_active : status.queue_position_waiting));

/** A text of several languages: the visitor's, else English, else any. */
const inLanguage = (texts = {}) => texts[lang] ?? texts.en ?? Object.values(texts)[0] ?? '';

function line(kind, { act }) {
  const isNext = kind === 'next';
  const words = heading(t(kind + '.title'), isNext ? t('next.more') : null);
  const link = h('span', { class: 'link' });
  const place = h('strong', {});
  const progress = bar(t('wait.progress'));
  const before = fact(t('wait.ahead'));
  const time = fact(t('wait.time'));
  const total = fact(t(isNext ? 'next.total' : 'wait.total'));
  const sale = note('warn', 'pause');
  const notice = note('good notice', 'bell');
  notice().setAttribute('role', 'status');
  const tier = p('soft');
  const why = h('span', {});
  const appeal = h('a', {}, t('wait.appeal'));
  const seat = p('soft', why, ' ', appeal);
  const keep = p('soft keep');
  const signals = call(act);
  return {
    node: [
      h('div', { class: 'head' }, words[0], link), words[1], notice(),
      p('place', label(t('wait.place')), place),
      progress.node,
      h('dl', { class: 'facts' }, before.node, time.node, total.node),
      tier, seat, sale(), signals.node, keep,
      button(t('leave.button'), act.leave, 'text'),
    ],
    update({ status, product, sale: state, link: now_, first, deposit }) {
      const position = ahead(status);
      const hidden = isHidden(status);
      notice(inLanguage(status.notice));
      say(place, hidden ? t('wait.drawn') : number(position + 1));
      place.classList.toggle('long', hidden || position > 99998);
      before.set(hidden ? '\u2013' : number(position));
      const turns = Math.ceil((position + 1) / (product.ready_slots ?? 1));
      time.set(estimate(status.estimated_wait_time, state === 'open' && turns * (product.purchase_window_seconds ?? 300)));
      const group = product.priority?.[status.tier - 1];
      tier.hidden = !group || status.tier_position < 0;
      if (group) say(tier, t('wait.tier', { name: group.name, place: number(status.tier_position + 1) }));
      seat.hidden = !status.seat;
      if (status.seat) {
        say(why, t('wait.seat.' + status.seat));
        appeal.href = status.appeal_url;
      }
      total.set(number(isNext ? status.total_in_active : status.people_in_line ?? status.total_in_waiting));
      progress.set(hidden ? 0 : first > 0 ? 1 - position / (first + 1) : 1);
      link.className = 'link ' + now_;
      say(link, now_ === 'live' ? t('link.live') : now_ === 'poll' ? t('link.poll') : '');
      const opens = millis(product.opens_at);
      sale({
        scheduled: sentences(opens ? t('wait.before', { time: clock((opens - now()) / 1000) }) : t('join.scheduled'), hidden && t('wait.shuffle')),
        paused: t('wait.paused'), sold_out: sentences(taken(product, 'wait.sold_out', 'wait.stay'), isPaid(deposit) && depositText(deposit, 'leave')),
      }[state] ?? '');
      const presence = product.presence_timeout_seconds;
      say(keep, presence ? t('wait.keep.presence', { time: span(presence) }) : t('wait.keep', { time: span(86400) }));
      signals.update();
    },
  };
}

export const waiting = (context) => line('wait', context);
export const active = (context) => line('next', context);

function countdown(label) {
  const left = h('p', { class: 'count', role: 'timer' });
  const share = bar(label, 'shrink');
  return {
    node: [p('label', label), left, share.node],
    /** Seconds left; whole = what the bar counts as full. */
    set(seconds, whole) {
      say(left, clock(seconds));
      left.classList.toggle('urgent', seconds <= 30);
      share.set(seconds / whole);
    },
  };
}

/** The purchase window is open. */
export function ready({ act, product, deposit }) {
  const most = Math.max(1, product.max_quantity ?? 1);
  let quantity = 1;
  let shown = null;
  const time = countdown(t('ready.time'));
  const amount = h('output', { class: 'amount' });
  const total = h('output', {});
  const rest = h('output', {});
  const deposited = p('soft');
  const counts = isPaid(deposit) && deposit.currency === product.currency;
  const step = (by, label, sign) => h('button', { class: 'step', type: 'button', 'aria-label': label, onclick: () => ((quantity += by), draw()) }, sign);
  const fewer = step(-1, t('ready.fewer'), '\u2212');
  const more = step(1, t('ready.more_units'), '+');
  const buy = button(t('ready.buy'), () => act.buy(quantity, product.price * quantity), 'primary big');
  const again = note('warn', 'alert');
  const empty = note('warn', 'pause');
  const words = heading(t('ready.title'), t('ready.more'));
  const draw = (view = shown) => {
    shown = view;
    quantity = Math.min(most, Math.max(1, view.fixed ?? quantity));
    say(amount, number(quantity));
    const price = product.price * quantity;
    const used = counts && deposit.amount <= price;
    say(total, money(price, product));
    rest.parentNode.hidden = !used;
    say(rest, used ? money(price - deposit.amount, product) : '');
    say(deposited, isPaid(deposit) ? sentences(depositText(deposit, used ? 'own.paid' : 'own.aside'), depositText(deposit, 'passed.' + deposit.passed + (used ? '' : '.aside'))) : '');
    const { busy, fixed, over, none } = view;
    fewer.disabled = quantity <= 1 || busy || fixed > 0;
    more.disabled = quantity >= most || busy || fixed > 0;
    buy.disabled = busy || over || none;
    buy.classList.toggle('busy', busy);
    say(buy, t(busy ? 'ready.sending' : over ? 'ready.over' : none || 'ready.buy'));
  };
  return {
    node: [
      words, h('div', { class: 'window' }, time.node),
      h('div', { class: 'basket' },
        most > 1 && h('div', { class: 'quantity', role: 'group', 'aria-label': t('ready.quantity') }, label(t('ready.quantity')), fewer, amount, more),
        p('total', label(t('ready.total')), total), p('total', label(t('order.rest')), rest)),
      deposited,
      again(), empty(), grow(), buy, button(t('leave.button'), act.leave, 'text'),
    ],
    update(view) {
      const seconds = (millis(view.status.purchase_timeout_at) - now()) / 1000;
      time.set(seconds, Math.max(1, product.purchase_window_seconds ?? 300));
      say(words[1], t(view.sale === 'closed' ? 'ready.closed' : 'ready.more'));
      const none = (!view.busy && { paused: 'state.paused', sold_out: 'join.sold_out' }[view.sale]) || '';
      draw({ ...view, over: seconds <= 0, none });
      const why = { paused: [inLanguage(view.status.notice), t('ready.paused')], sold_out: [taken(view.product, 'ready.sold_out', 'ready.stay')] };
      empty(none && sentences(...why[view.sale]));
      again(view.again ? t('ready.again') : '');
    },
  };
}

function receipt({ order, product, act }) {
  const copy = h('button', { class: 'button quiet small', type: 'button', onclick: () => act.copy(order.order_number ?? order.order_id, copy.lastChild) }, icon('copy'), h('span', {}, t('order.copy')));
  return h('dl', { class: 'receipt' },
    h('div', { class: 'order' }, h('dt', {}, t('order.number')), h('dd', {}, h('a', { class: 'number', href: '/o/' + order.order_id }, order.order_number ?? order.order_id), copy)),
    h('div', {}, h('dt', {}, t('order.quantity')), h('dd', {}, number(order.quantity))),
    amounts(order, product).map(([key, text]) => h('div', {}, h('dt', {}, t('order.' + key)), h('dd', {}, text))));
}

/** What the order asks for, and the price and the deposit before, if one was taken off. */
function amounts(order, product) {
  const { amount = product.price * order.quantity, deposit } = order;
  const text = (minor) => money(minor, order.currency ? order : product);
  return deposit ? [['price', text(amount + deposit)], ['deposit', '\u2212' + text(deposit)], ['rest', text(amount)]] : [['amount', text(amount)]];
}

/** Reserved, not yet paid. */
export function pending(context) {
  const { act, product } = context;
  const time = countdown(t('pay.time'));
  const pay = button(t('pay.button'), act.pay, 'primary big');
  const declined = note('bad', 'alert');
  const stopped = note('warn', 'clock');
  return {
    node: [heading(t('pay.title'), t('pay.more')), declined(), stopped(), h('div', { class: 'window' }, time.node), receipt(context), grow(), pay, button(t('pay.cancel'), act.cancel, 'text')],
    update({ order, busy }) {
      const until = millis(order.pay_by);
      const seconds = until ? (until - now()) / 1000 : 0;
      time.node.forEach((node) => (node.hidden = !until));
      if (until) time.set(seconds, Math.max(1, product.payment_window_seconds ?? 600));
      stopped(order.deadline_stopped ? t('pay.stopped') : '');
      declined(order.declined_at ? t('pay.declined') : '');
      say(pay, t(order.declined_at ? 'pay.again' : 'pay.button'));
      pay.disabled = busy || (until !== null && seconds <= 0);
    },
  };
}

export const paid = (context) => ({
  node: [
    h('div', { class: 'seal' }, icon('check')), heading(t('paid.title'), t('paid.more')), receipt(context), grow(),
    go(context.order.details_url, 'paid.details'), go(page.tickets && `/o/${context.order.order_id}/tickets`, 'paid.tickets'),
  ],
  update() {},
});

/** Over, for a reason: missed, lost, left, closed, cancelled, unpaid, refunded. */
export function ended(context) {
  const { act, end, order } = context;
  const rejoin = joining(act, t('end.rejoin'));
  const again = rejoin.node;
  const [title, more] = heading(t('end.' + end), t('end.' + end + '.more'));
  const deposited = p('soft');
  return {
    node: [h('div', { class: 'seal plain' }, icon(end === 'left' || end === 'cancelled' ? 'arrow' : 'clock')), title, more, deposited, order && receipt(context), grow(), again],
    update({ product, sale, cooldown, deposit }) {
      say(deposited, deposit && !isPaid(deposit) ? depositText(deposit, 'own.' + deposit.status) : '');
      rejoin.set(cooldown, t('end.rejoin'));
      again.hidden = sale === 'closed' || product.joins === 'stopped' || end === 'closed' || end === 'refunded';
    },
  };
}

/** Kept out by the operator: until when, and by which number to ask about it. */
export function banned({ ban }) {
  const { decision_id: decision, banned_until: until, appeal_url: appeal } = ban.data;
  const row = (key, value) => value && h('div', {}, h('dt', {}, t(key)), h('dd', {}, value));
  return {
    node: [
      h('div', { class: 'seal plain' }, icon('alert')), heading(t('refused.banned'), ban.message),
      h('dl', { class: 'receipt' }, row('refused.decision', decision && h('code', {}, decision)),
        row('refused.until', until ? moment(until) : t('refused.no_end')), row('refused.contact', page.contact)),
      appeal && h('a', { class: 'button quiet', href: appeal }, t('wait.appeal')),
    ],
    update() {},
  };
}
