// Creates and edits a sale: the server checks field by field; an edit is shown as a difference before it is saved.
import { h } from './dom.js';
import { lang, moment, money, number, page, span, t } from './text.js';
import { act, expect, field, frame, part, problemBox, refuse, toast } from './console-ui.js';
import { durationField, rangeField, rowsField } from './console-fields.js';
import { pictureField } from './console-upload.js';

const POLICY = 'policy.';
// What buyers read: a document of its own, which is saved beside the product.
const CONTENT = 'content.';
// What buyers are asked for before they pay: four fixed fields, and texts with labels of the operator.
const ASKED = ['name', 'email', 'phone', 'address'];
const OWN = [0, 1, 2, 3];
const ANSWERS = ['no', 'optional', 'required'];
// Whether buyers get tickets; the rules of tickets are null when they do not.
const GIVES = CONTENT + 'tickets.give';
// The short form of batches, which the server turns into the list: so many of equal size, a time at random apart.
const EVEN_COUNT = POLICY + 'batches.count';
const EVEN_GAP = POLICY + 'batches.gap_ms';
const DEPOSIT = POLICY + 'deposit';
const LANGUAGES = ['zh-Hant', 'zh-Hans', 'en'];
// Fields by part; each: name in the API, type, and what makes the field.
const LAYOUT = [
  ['what', [
    { name: 'name', required: true, maxlength: 200 },
    { name: 'image_url', type: 'picture', maxlength: 2000 },
    { name: 'price', type: 'number', min: 0, required: true },
    { name: 'currency', maxlength: 3, required: true },
    { name: 'total_stock', type: 'number', min: 0, required: true },
  ]],
  ['about', [
    ...LANGUAGES.map((each) => ({ name: CONTENT + 'names.' + each, maxlength: 200 })),
    ...LANGUAGES.map((each) => ({ name: CONTENT + 'descriptions.' + each, type: 'textarea', maxlength: 5000 })),
    { name: CONTENT + 'venue', maxlength: 200 },
    { name: CONTENT + 'starts_at', type: 'datetime-local' },
    { name: CONTENT + 'seller', maxlength: 200 },
    { name: CONTENT + 'terms_url', maxlength: 2000 },
    { name: CONTENT + 'images', type: 'textarea' },
    { name: GIVES, type: 'select', words: ['no', 'yes'] },
    { name: CONTENT + 'tickets.transfer_until', type: 'datetime-local' },
  ]],
  ['ask', [
    ...ASKED.map((each) => ({ name: CONTENT + 'ask.' + each, type: 'select', words: ANSWERS })),
    ...OWN.flatMap((n) => [
      ...LANGUAGES.map((each) => ({ name: CONTENT + 'own.' + n + '.' + each, maxlength: 100 })),
      { name: CONTENT + 'own.' + n + '.answer', type: 'select', words: ANSWERS },
    ]),
  ]],
  ['when', [
    { name: POLICY + 'opens_at', type: 'datetime-local' },
    { name: POLICY + 'closes_at', type: 'datetime-local' },
    { name: POLICY + 'batches', type: 'rows', most: 100, columns: [
      { name: 'at', type: 'datetime-local' },
      { name: 'quantity', type: 'number', min: 1 },
    ] },
    { name: EVEN_COUNT, type: 'number', min: 2 },
    { name: EVEN_GAP, type: 'range', min: 1, max: 3600 },
  ]],
  ['how', [
    { name: POLICY + 'preset', type: 'select', words: ['queue', 'flash'] },
    { name: POLICY + 'payment', type: 'select', words: ['none', 'required'] },
    { name: POLICY + 'payment_window_seconds', type: 'duration' },
    { name: DEPOSIT + '.amount', type: 'number', min: 0 },
    { name: DEPOSIT + '.percent', type: 'number', min: 1, max: 100 },
    { name: DEPOSIT + '.passed', type: 'select', words: ['returned', 'kept'] },
    { name: POLICY + 'pre_queue', type: 'select', words: ['arrival', 'shuffle', 'draw'] },
    { name: POLICY + 'identity', type: 'select', words: ['device', 'account', 'phone', 'person'] },
  ]],
  ['tiers', [
    { name: POLICY + 'priority', type: 'rows', most: 4, columns: [
      { name: 'name', maxlength: 50 },
      { name: 'share', type: 'number', min: 1, max: 100 },
      { name: 'until', type: 'datetime-local' },
      { name: 'for', type: 'select', words: ['account', 'phone', 'person', 'invitation'], value: 'account' },
    ] },
  ]],
  ['limits', [
    { name: POLICY + 'max_quantity', type: 'number', min: 1 },
    { name: POLICY + 'max_per_user', type: 'number', min: 1 },
    { name: POLICY + 'max_per_device', type: 'number', min: 1 },
    { name: POLICY + 'places_per_ip', type: 'number', min: 1 },
    { name: POLICY + 'units_per_ip', type: 'number', min: 1 },
  ]],
  ['pace', [
    { name: POLICY + 'active_capacity', type: 'number', min: 1 },
    { name: POLICY + 'ready_slots', type: 'number', min: 1 },
    { name: POLICY + 'admit_per_second', type: 'number', min: 1 },
    { name: POLICY + 'purchase_window_seconds', type: 'duration' },
    { name: POLICY + 'jitter_ms', type: 'number', min: 0, max: 10000 },
    { name: POLICY + 'show_up_seconds', type: 'duration' },
    { name: POLICY + 'presence_timeout_seconds', type: 'duration' },
    { name: POLICY + 'unpaid_cooldown_seconds', type: 'duration' },
  ]],
];
// What an open sale changes only with a typed confirmation.
const GRAVE = ['price', 'currency', DEPOSIT, POLICY + 'payment', POLICY + 'preset', POLICY + 'identity'];

// Highest price that the server takes, in minor units.
const MOST = 1e12;

const key = (name) => name.replace(POLICY, '').replace(CONTENT, '');
const OWN_FIELD = /^content\.own\.(\d)\.(.+)$/;
function label(name) {
  const own = OWN_FIELD.exec(name);
  return own ? t('console.sale.own.' + own[2], { n: Number(own[1]) + 1 }) : t('console.sale.' + key(name));
}
const isTime = (name) => /_(at|until)$/.test(name);
const asks = (name) => /^content\.(ask|own)\./.test(name);
const word = (name, value) => t('console.sale.' + (asks(name) ? 'answer' : key(name)) + '.' + value);

const ownFields = (fields) => fields.filter(({ kind }) => kind === 'text');

/** A field of the form that says what buyers are asked for. */
function asked(fields, name) {
  const own = OWN_FIELD.exec(name);
  const found = own ? ownFields(fields)[own[1]] : fields.find(({ kind }) => name === CONTENT + 'ask.' + kind);
  if (own && own[2] !== 'answer') return found?.labels[own[2]] ?? null;
  return found ? (found.required ? 'required' : 'optional') : 'no';
}

/** What buyers are asked for, of all fields of the form. Texts keep their keys: answers are stored under them. */
function buyerFields(at, before) {
  const answer = (name) => at(name) ?? 'no';
  const fixed = ASKED.filter((kind) => answer('ask.' + kind) !== 'no').map((kind) => ({ kind, required: answer('ask.' + kind) === 'required' }));
  const keys = ownFields(before).map((each) => each.key);
  const own = OWN.filter((n) => answer('own.' + n + '.answer') !== 'no').map((n) => {
    keys[n] ??= ['own_1', 'own_2', 'own_3', 'own_4'].find((each) => !keys.includes(each));
    const labels = Object.fromEntries(LANGUAGES.map((each) => [each, at('own.' + n + '.' + each)]).filter(([, text]) => text));
    return { kind: 'text', key: keys[n], labels, required: answer('own.' + n + '.answer') === 'required' };
  });
  return [...fixed, ...own];
}

function valueOf(product, name) {
  if (asks(name)) return asked(product.content?.buyer_fields ?? [], name);
  if (name === GIVES) return product.content?.tickets ? 'yes' : 'no';
  const within = (document) => key(name).split('.').reduce((node, step) => node?.[step], document);
  if (name.startsWith(CONTENT)) {
    const value = within(product.content);
    return (Array.isArray(value) ? value.join('\n') : value) || null;
  }
  return (name.startsWith(POLICY) ? within(product.policy) : product[name]) ?? null;
}

/** The decimals of all currencies, as the server counts them. */
const EXPONENTS = page.exponents;

/** How many minor units make one unit of the currency; 100 while it is no currency. */
const minor = (currency) => 10 ** (EXPONENTS[currency] ?? 2);

/** A price; its number while the currency is none. */
const cost = (value, currency) => (currency in EXPONENTS ? money(value, { currency, currency_exponent: EXPONENTS[currency] }) : number(value / 100));

/** A moment, with its year unless it is this one. */
function stamp(ms) {
  return new Date(ms).getFullYear() === new Date().getFullYear()
    ? moment(ms) : new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short' }).format(ms);
}

/** Fields that have a price; the form shows it in units of the currency. */
const isMoney = (name) => name === 'price' || name === DEPOSIT + '.amount';

export const depositText = ({ amount, percent, passed }, currency) => [amount ? cost(amount, currency) : number(percent) + ' %', word(DEPOSIT + '.passed', passed)].join(' \u00b7 ');
const depositKey = (deposit) => (deposit ? [deposit.amount, deposit.percent, deposit.passed].join() : '');

const isRows = (name) => name === POLICY + 'batches' || name === POLICY + 'priority';
const batchText = ({ at, quantity }) => [at && stamp(Date.parse(at)), t('console.people.units', { n: number(quantity ?? 0) })].filter(Boolean).join(' \u00b7 ');
const tierText = (tier) => [tier.name, number(tier.share ?? 0) + ' %', tier.until && stamp(Date.parse(tier.until)), t('console.sale.priority.for.' + tier.for)].filter(Boolean).join(' \u00b7 ');

/** Rows in one form, whoever wrote their times. Fields show whole seconds; batches at random have milliseconds. */
const rowsKey = (rows) => JSON.stringify((rows ?? []).map((row) => Object.keys(row).sort().map((name) => (/^(at|until)$/.test(name) && row[name] ? Math.floor(Date.parse(row[name]) / 1000) : row[name]))));

/** The time zone of this device, such as Asia/Taipei (GMT+8). */
function zone() {
  const offset = new Intl.DateTimeFormat(lang, { timeZoneName: 'shortOffset' }).formatToParts().find((each) => each.type === 'timeZoneName').value;
  return Intl.DateTimeFormat().resolvedOptions().timeZone + ' (' + offset + ')';
}

/** A value as people read it. */
function shown(name, value, currency) {
  if (value?.count) return t('console.sale.batches.even', { n: number(value.count), from: number(value.gap_ms?.[0] / 1000), to: number(value.gap_ms?.[1] / 1000) });
  if (isRows(name)) return value?.length ? value.map(name === POLICY + 'batches' ? batchText : tierText).join('\n') : t('console.sale.none');
  if (value === null || value === '') return t('console.sale.none');
  if (name === DEPOSIT) return depositText(value, currency);
  if (name === 'price') return cost(value, currency);
  if (typeof value === 'number') return name.endsWith('_seconds') ? t('console.sale.seconds', { n: number(value), time: span(value) }) : number(value);
  if (isTime(name)) return stamp(Date.parse(value));
  const spec = LAYOUT.flatMap(([, specs]) => specs).find((each) => each.name === name);
  return spec?.words ? word(name, value) : value;
}

/** What an empty field of a new sale means: the value of its kind of sale. */
function defaultText(name, preset) {
  // A time to pay is that of flash sales, as soon as a payment is required.
  const value = page.presets[name === POLICY + 'payment_window_seconds' ? 'flash' : preset]?.[key(name)];
  if (value === undefined) return '';
  return t('console.sale.default', { value: value === null ? t('console.sale.none') : name.endsWith('_seconds') ? span(value) : number(value) });
}

/** Shows the defaults in the empty fields of a new sale; a sale that exists has its values. */
function suggest(product, fields) {
  const preset = fields.get(POLICY + 'preset').read();
  for (const [name, each] of fields) {
    if (name.startsWith(POLICY) && each.control.type === 'number' && !name.startsWith(POLICY + 'batches') && !isRows(name)) each.control.placeholder = product.state ? t('console.sale.none') : defaultText(name, preset);
  }
}

/** A list of rows, with the texts of its columns. */
function rows(spec, value) {
  const text = (name) => t('console.sale.' + key(spec.name) + '.' + name);
  return rowsField({
    name: spec.name, label: label(spec.name), help: text('help'), add: text('add'), most: spec.most, value,
    columns: spec.columns.map((column) => ({ ...column, words: null, label: text(column.name), options: column.words?.map((word) => [word, text(column.name + '.' + word)]) })),
  });
}

// What makes a field of a type of its own.
const MAKERS = { duration: durationField, range: rangeField, picture: (spec) => pictureField({ ...spec, type: 'text' }) };

/** The form's fields. Those that only advanced sales need are folded away. context: what the picture is sent with. */
function makeFields(product, { ask, signal } = {}) {
  const all = new Map();
  for (const spec of LAYOUT.flatMap(([, specs]) => specs)) {
    const value = valueOf(product, spec.name);
    if (spec.type === 'rows') {
      all.set(spec.name, rows(spec, value));
      continue;
    }
    const make = MAKERS[spec.type] ?? field;
    all.set(spec.name, make({
      ...spec,
      ...(spec.type === 'picture' && { ask, signal }),
      words: null,
      label: label(spec.name),
      help: page.text['console.sale.' + key(spec.name) + '.help'] ?? '',
      suggested: page.presets[product.policy.preset]?.[key(spec.name)],
      value: isMoney(spec.name) && (value !== null || spec.required) ? (value ?? 0) / minor(product.currency) : value,
      step: isMoney(spec.name) ? 'any' : undefined,
      lang: LANGUAGES.find((each) => spec.name.endsWith('.' + each)),
      options: spec.words?.map((each) => [each, word(spec.name, each)]),
    }));
  }
  return all;
}

function read(fields) {
  const values = new Map([...fields].map(([name, each]) => [name, each.read()]));
  const currency = values.get('currency')?.toUpperCase() ?? '';
  values.set('currency', currency);
  if (values.get('price') !== null) values.set('price', Math.round(values.get('price') * minor(currency)));
  values.set('image_url', values.get('image_url') ?? '');
  const [count, gap] = [values.get(EVEN_COUNT), values.get(EVEN_GAP)];
  values.delete(EVEN_COUNT);
  values.delete(EVEN_GAP);
  const part = (name) => {
    const value = values.get(DEPOSIT + name);
    values.delete(DEPOSIT + name);
    return value;
  };
  const [amount, percent, passed] = [part('.amount'), part('.percent'), part('.passed')];
  values.set(DEPOSIT, amount === null && percent === null ? null : { amount: amount && Math.round(amount * minor(currency)), percent, passed });
  if (count !== null || gap !== null) values.set(POLICY + 'batches', { count, gap_ms: gap });
  return values;
}

/** The fields whose value differs from the product's. */
function changes(product, values) {
  const found = [];
  for (const [name, value] of values) {
    const was = valueOf(product, name);
    const same = value?.gap_ms !== undefined ? false : name === DEPOSIT ? depositKey(was) === depositKey(value) : isRows(name) ? rowsKey(was) === rowsKey(value) : isTime(name) && was && value ? Date.parse(was) === Date.parse(value) : (was ?? '') === (value ?? '');
    if (!same) found.push({ name, was, value });
  }
  return found;
}

/** What the form refuses itself, because the server cannot see it: a refusal as of the server; null for none. */
function mistake(product, fields, values) {
  const refusal = (name, text) => ({ ok: false, data: { field: name }, message: text });
  const currency = values.get('currency');
  const minors = fields.get('price').read() * minor(currency);
  if (Math.abs(minors - Math.round(minors)) > 1e-12 * Math.max(1, minors)) return refusal('price', t('console.sale.price_step', { step: cost(1, currency) }));
  if (minors < 0 || minors > MOST) return refusal('price', t('console.sale.price_range', { most: cost(MOST, currency) }));
  const unpayable = (price, payment) => price === 0 && payment === 'required';
  const known = product.state && unpayable(product.price, product.policy.payment);
  return !known && unpayable(values.get('price'), values.get(POLICY + 'payment')) ? refusal(POLICY + 'payment', t('console.sale.payment_free')) : null;
}

/** Takes over what somebody else has changed since the form was read, where it has no change of its own. Returns all these fields. */
function adopt(fields, was, now) {
  const mine = new Set(changes(was, read(fields)).map(({ name }) => name));
  const theirs = changes(was, new Map([...fields.keys()].map((name) => [name, valueOf(now, name)])));
  const renewed = makeFields(now);
  // The fields of a deposit are one value.
  const isMine = (name) => mine.has(name) || (mine.has(DEPOSIT) && name.startsWith(DEPOSIT));
  for (const { name } of theirs.filter(({ name: each }) => !isMine(each))) {
    const own = fields.get(name);
    if (own.take) own.take(renewed.get(name));
    else own.control.value = renewed.get(name).control.value;
  }
  return theirs;
}

const ofContent = ({ name }) => name.startsWith(CONTENT);

/** The document of what buyers read, of all fields of the form. */
function content(values, before) {
  const at = (name) => values.get(CONTENT + name);
  const texts = (name) => Object.fromEntries(LANGUAGES.map((each) => [each, at(name + '.' + each)]).filter(([, text]) => text));
  return {
    names: texts('names'), descriptions: texts('descriptions'), venue: at('venue') ?? '', starts_at: at('starts_at'), seller: at('seller') ?? '',
    terms_url: at('terms_url') ?? '', images: (at('images') ?? '').split(/\s+/).filter(Boolean),
    buyer_fields: buyerFields(at, before),
    tickets: at('tickets.give') === 'yes' ? { transfer_until: at('tickets.transfer_until') } : null,
  };
}

function body(list) {
  const whole = {};
  for (const { name, value } of list) {
    if (ofContent({ name })) continue;
    if (name.startsWith(POLICY)) (whole.policy ??= {})[key(name)] = value;
    else whole[name] = value;
  }
  return whole;
}

/** When the sale opens. A time in the past opens a sale that is not yet on. */
function opening(product, opens) {
  if (!opens) return t('console.sale.preview_closed');
  const at = Date.parse(opens);
  return at <= Date.now() && (product.state ?? 'scheduled') === 'scheduled' ? t('console.sale.preview_now') : t('console.sale.preview_opens', { time: stamp(at) });
}

/** What a visitor sees of it, before it is saved. */
function preview(product, values) {
  const currency = values.get('currency');
  const price = values.get('price') ?? 0;
  const opens = values.get(POLICY + 'opens_at');
  const { names, images, starts_at: starts, venue } = content(values, []);
  const image = values.get('image_url') || images[0] || '';
  return [
    /^(https:|\/)/.test(image) ? h('img', { src: image, alt: '', class: 'preview-image' }) : h('div', { class: 'preview-image' }),
    h('div', { class: 'preview-text' },
      h('strong', {}, names[lang] || values.get('name') || t('console.sale.name')),
      (starts || venue) && h('span', {}, [starts && stamp(Date.parse(starts)), venue].filter(Boolean).join(' · ')),
      h('span', {}, price > 0 ? cost(price, currency) : t('console.sales.free_of_charge')),
      h('span', { class: 'soft' }, t('console.sale.preview_stock', { n: number(values.get('total_stock') ?? 0) })),
      h('span', { class: 'soft', id: 'preview-opens' }, opening(product, opens))),
  ];
}

function draw(product, fields, { title, back, submit, button }) {
  const box = problemBox();
  const look = h('div', { class: 'preview', 'aria-hidden': 'true' });
  const renew = () => {
    suggest(product, fields);
    look.replaceChildren(...preview(product, read(fields)));
  };
  const send = h('button', { class: 'button primary' }, button);
  const parts = LAYOUT.map(([name, specs]) => {
    const nodes = h('div', { class: 'fields' }, specs.map((spec) => fields.get(spec.name).node));
    const heading = t('console.sale.part.' + name);
    if (name === 'about') return h('details', { class: 'part', open: 'content' in product }, h('summary', {}, heading), h('p', { class: 'soft' }, t('console.sale.part.about.more')), nodes, h('p', { class: 'soft' }, h('a', { href: '/console/settings' }, t('console.sale.part.about.brand'))));
    if (name === 'ask') return h('details', { class: 'part', open: product.content?.buyer_fields.length > 0 }, h('summary', {}, heading), h('p', { class: 'soft' }, t('console.sale.part.ask.more')), nodes);
    if (name === 'when') return part(heading, h('p', { class: 'soft' }, t('console.sale.zone', { zone: zone() })), nodes);
    if (name === 'tiers') return h('details', { class: 'part', open: product.policy.priority?.length > 0 }, h('summary', {}, heading), nodes);
    if (name === 'limits' || name === 'pace') return h('details', { class: 'part' }, h('summary', {}, heading), h('p', { class: 'soft' }, t('console.sale.part_more')), nodes);
    return part(heading, nodes);
  });
  const form = h('form', {
    class: 'sale-form', novalidate: true, oninput: renew,
    onsubmit: async (event) => {
      event.preventDefault();
      const complain = (answer) => {
        const all = [...fields.values()];
        const ofDeposit = answer.data?.field === DEPOSIT;
        refuse(ofDeposit ? { ...answer, data: { field: DEPOSIT + '.amount' }, message: [DEPOSIT, POLICY + 'payment'].reduce((text, each) => text.replace(each, label(each)), answer.message) } : answer, all, box);
        // The field may be in a part that is folded away.
        form.querySelector('[aria-invalid]')?.closest('details')?.setAttribute('open', '');
        form.querySelector('[aria-invalid]')?.focus();
      };
      const wrong = mistake(product, fields, read(fields));
      if (wrong) return complain(wrong);
      send.disabled = true;
      if (await fields.get('image_url').sent()) await submit(read(fields), complain);
      else form.querySelector('[name=picture]').focus();
      send.disabled = false;
      return undefined;
    },
  }, h('div', { class: 'sale-parts' }, box, parts, h('div', { class: 'tools' }, send, h('a', { class: 'button quiet', href: back[0] }, t('console.cancel')))),
  h('aside', { class: 'sale-preview' }, h('h2', {}, t('console.sale.preview')), look));
  renew();
  return frame({ title, back }, form);
}

/** A new sale, with the defaults of a paid queue. */
export async function create({ ask, go, signal }) {
  const { products } = expect(await ask('GET', '/products'));
  const ids = products.map(({ id }) => Number(id)).filter(Number.isSafeInteger);
  const id = String(Math.max(0, ...ids) + 1);
  const blank = { name: '', image_url: '', price: 0, currency: page.currency, total_stock: 100, policy: { preset: 'queue', payment: 'required', identity: 'device', pre_queue: 'arrival' } };
  const fields = makeFields(blank, { ask, signal });
  let made = null;
  return draw(blank, fields, {
    title: t('console.sales.new'), back: ['/console/sales', t('console.nav.sales')], button: t('console.sale.create'),
    async submit(values, complain) {
      // Empty fields follow the preset.
      const given = [...values].filter(([, value]) => value !== null && value !== '' && value.length !== 0).map(([name, value]) => ({ name, value }));
      const answer = made ? await ask('PATCH', '/products/' + made, body(given)) : await ask('POST', '/products', { id, ...body(given) });
      if (!answer.ok) return complain(answer);
      // When only the texts are refused, the sale is there already.
      made = answer.data.id;
      const told = given.some(ofContent) ? await tell(ask, made, content(values, [])) : { ok: true };
      if (!told.ok) return complain(told);
      toast(t('console.sale.created', { name: answer.data.name }));
      return go('/console/sales/' + made);
    },
  });
}

function difference(list, currency) {
  return h('table', { class: 'list diff' },
    h('thead', {}, h('tr', {}, [t('console.sale.diff_field'), t('console.sale.diff_was'), t('console.sale.diff_now')].map((text) => h('th', { scope: 'col' }, text)))),
    h('tbody', {}, list.map(({ name, was, value }) => h('tr', {},
      h('th', { scope: 'row' }, label(name)),
      h('td', { 'data-title': t('console.sale.diff_was') }, h('del', { class: 'lines' }, shown(name, was, currency.was))),
      h('td', { 'data-title': t('console.sale.diff_now') }, h('ins', { class: 'lines' }, shown(name, value, currency.value)))))));
}

/** The product with its texts, as an answer of the server. */
async function load(ask, id) {
  const [answer, texts] = await Promise.all([ask('GET', '/products/' + id), ask('GET', '/products/' + id + '/content')]);
  return answer.ok && texts.ok ? { ...answer, data: { ...answer.data, content: texts.data.content } } : answer.ok ? texts : answer;
}

/** /console/sales/ID/edit */
export async function show({ ask, go, signal, id }) {
  let product = expect(await load(ask, id));
  const fields = makeFields(product, { ask, signal });
  let confirms = false;
  return draw(product, fields, {
    title: t('console.sale.edit', { name: product.name }), back: ['/console/sales/' + id, product.name], button: t('console.sale.review'),
    async submit(_, complain) {
      // Meanwhile somebody else may have changed the sale, or its clock has opened it.
      const current = await load(ask, id);
      if (!current.ok) return complain(current);
      const theirs = adopt(fields, product, current.data);
      product = current.data;
      const running = product.state === 'open' || product.state === 'paused';
      const values = read(fields);
      const list = changes(product, values);
      if (list.length === 0) return toast(t('console.sale.unchanged'));
      const grave = running || confirms ? list.filter(({ name }) => GRAVE.includes(name)) : [];
      const names = (some) => some.map(({ name }) => label(name)).join(', ');
      let refusal;
      const saved = await act({
        title: t('console.sale.review'),
        lines: [theirs.length > 0 && h('p', { class: 'note warn', id: 'theirs' }, t('console.sale.theirs', { fields: names(theirs) })), difference(list, { was: product.currency, value: values.get('currency') }), grave.length > 0 && h('p', { class: 'note warn' }, t('console.sale.grave', { fields: names(grave) }))].filter(Boolean),
        danger: grave.length > 0, typed: grave.length > 0 ? product.name : '',
        button: t('console.sale.save'),
        async run() {
          const answer = await save(ask, id, list, content(values, product.content.buyer_fields), grave.length && { confirm: grave.map(({ name }) => key(name)) });
          // The server's answer belongs to a field of the form behind the dialog, or the sale has opened meanwhile.
          confirms = answer.code === 'CONFIRMATION_REQUIRED';
          if (confirms) refusal = { ...answer, message: t('console.sale.confirm_again') };
          else if (!answer.ok && (answer.data?.field || answer.data?.problems)) refusal = answer;
          return refusal ? { ok: true, data: null } : answer;
        },
      });
      if (refusal) return complain(refusal);
      if (!saved) return undefined;
      toast(t('console.sale.saved'), 'good', running ? undefined : () => undo(ask, go, product, list));
      return go('/console/sales/' + id);
    },
  });
}

/** Replaces the texts; a refusal names the field of the form. */
async function tell(ask, id, texts) {
  const answer = await ask('PUT', '/products/' + id + '/content', texts);
  if (answer.data?.field) answer.data.field = CONTENT + answer.data.field;
  return answer;
}

/** Saves what changed: first the texts, which change nothing of the sale. */
async function save(ask, id, list, texts, confirmed) {
  const told = list.some(ofContent) ? await tell(ask, id, texts) : { ok: true, data: {} };
  return told.ok && !list.every(ofContent) ? ask('PATCH', '/products/' + id, { ...body(list), ...confirmed }) : told;
}

/** Puts the values back that were there before. */
async function undo(ask, go, product, list) {
  const answer = await save(ask, product.id, list.map(({ name, was }) => ({ name, value: was })), product.content);
  toast(answer.ok ? t('console.undone') : answer.message, answer.ok ? 'good' : 'bad');
  go('/console/sales/' + product.id);
}
