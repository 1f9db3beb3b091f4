// Imports of order files: sending a file, the report of an import, and the words for the status of an order.
import { bar, h, say } from './dom.js';
import { number, sentences, t } from './text.js';
import { act, badge, every, expect, facts, field, frame, lesson, part, problemBox, refuse, table, toast, when } from './console-ui.js';
import { upload } from './console-upload.js';

const HOME = '/console/codes/imports';
const COLOURS = { running: 'warn', interrupted: 'warn', done: 'good', failed: 'bad', undone: 'closed' };
const STATUSES = ['paid', 'pending', 'cancelled', 'refunded'];
const COLUMNS = ['order_id', 'product_id', 'platform', 'amount', 'status', 'paid_at', 'expires_at', 'code'];
const ENCODINGS = ['UTF-8', 'UTF-16', 'GB18030', 'Big5'];
const MOST_BYTES = 2 ** 30;

/** The file that was sent last, so that its report can send it again: {id, file, options}. */
let kept = null;

const stateOf = (it) => (it.undone_at ? 'undone' : it.state);
const stateBadge = (it) => badge(t('console.codes.import.' + stateOf(it)), COLOURS[stateOf(it)]);
const statusText = (word) => t('console.import.status.' + word);
const back = [HOME, t('console.codes.imports')];

export function show(context, tabs) {
  const [, id] = context.path;
  if (!id) return list(context, tabs);
  return id === 'new' ? create(context) : report(context, id);
}

/** Sends files and shows how far it is; send(file, options) opens the report, or answers the refusal; null when it was cancelled. */
function sender({ ask, go, signal }) {
  const step = h('p', {});
  const moved = bar(t('console.import.sending'));
  const cancel = h('button', { class: 'button quiet small', type: 'button' }, t('console.cancel'));
  const node = h('div', { class: 'part', id: 'sending', role: 'status', hidden: true }, step, moved.node, h('div', { class: 'tools' }, cancel));
  async function send(file, options) {
    // A browser cannot read a file that was saved again after it was chosen.
    const readable = await file.slice(0, 1).arrayBuffer().then(() => true, () => false);
    if (!readable) return { ok: false, message: t('console.import.changed'), data: { field: 'file' } };
    const ends = new AbortController();
    const stop = () => ends.abort();
    signal.addEventListener('abort', stop, { signal: ends.signal });
    addEventListener('beforeunload', (event) => event.preventDefault(), { signal: ends.signal });
    cancel.onclick = stop;
    const progress = (share) => {
      moved.set(share);
      moved.node.classList.toggle('endless', share >= 1);
      // The server imports what it has got.
      cancel.hidden = share >= 1;
      say(step, share < 1 ? t('console.import.sending_share', { share: number(Math.floor(share * 100)) }) : t('console.import.reading'));
    };
    progress(0);
    node.hidden = false;
    const query = new URLSearchParams(Object.entries({ ...options, file_name: file.name }).filter(([, value]) => value));
    const answer = await ask('POST', '/orders/import?' + query, file, { send: upload, type: 'text/csv', signal: ends.signal, progress });
    node.hidden = true;
    if (ends.signal.aborted) return null;
    stop();
    if (!answer.ok) return answer;
    kept = { id: answer.data.id, file, options };
    if (answer.data.repeated) toast(t('console.import.repeated'), 'good');
    return void go(HOME + '/' + answer.data.id);
  }
  return { node, send };
}

async function list(context, tabs) {
  const { ask, signal, refresh } = context;
  const box = h('div', {});
  const begin = (kind) => h('a', { class: 'button primary ' + kind, href: HOME + '/new' }, t('console.import.new'));
  const another = begin('small');
  const draw = async () => {
    const { imports } = expect(await ask('GET', '/orders/import'));
    const focused = document.activeElement?.getAttribute?.('href');
    another.hidden = imports.length === 0;
    box.replaceChildren(imports.length === 0
      ? lesson(t('console.import.none'), [t('console.import.step.export'), t('console.import.step.check'), t('console.import.step.import')], begin(''))
      : table(
        [
          { title: t('console.codes.file'), cell: (each) => h('span', { class: 'links' }, h('a', { href: HOME + '/' + each.id }, each.file_name), !each.dry_run && each.run > 1 && badge(t('console.import.run', { run: number(each.run) }))) },
          { title: t('console.webhooks.state'), cell: (each) => h('span', { class: 'links' }, stateBadge(each), each.dry_run && badge(t('console.codes.dry_run'))) },
          { title: t('console.codes.progress'), cell: rows },
          { title: t('console.codes.added'), cell: (each) => each.added, number: true },
          { title: t('console.codes.updated'), cell: (each) => each.updated, number: true },
          { title: t('console.codes.refused'), cell: (each) => each.refused, number: true },
          { title: t('console.orders.made'), cell: (each) => when(each.started_at) },
        ],
        imports, { caption: t('console.codes.imports') }));
    if (focused) box.querySelector('a[href="' + CSS.escape(focused) + '"]')?.focus();
  };
  const { words } = expect(await ask('GET', '/orders/import-words'));
  await every(3000, signal, draw);
  return frame({ title: t('console.codes.imports'), more: t('console.codes.imports_more'), tools: another }, tabs, box,
    words.length > 0 && part(t('console.import.own_words'), h('p', { class: 'soft' }, t('console.import.own_words_more')), table(
      [
        { title: t('console.import.word'), cell: (each) => each.word },
        { title: t('console.import.means'), cell: (each) => statusText(each.status) },
        { title: t('console.audit.who'), cell: (each) => each.actor },
        { title: t('console.audit.at'), cell: (each) => when(each.mapped_at) },
        { title: t('console.acts'), cell: (each) => h('button', { class: 'button quiet small', onclick: () => forget(ask, refresh, each) }, t('console.import.forget')) },
      ],
      words, { caption: t('console.import.own_words') })));
}

const mapWord = (ask, word, status) => ask('POST', '/orders/import-words', { word, status });

const forget = (ask, refresh, { word, status }) => act({
  title: t('console.import.forget_ask', { word }), lines: [t('console.import.forget_more')], button: t('console.import.forget'),
  run: () => mapWord(ask, word, 'unknown'), done: t('console.saved'), undo: () => mapWord(ask, word, status).then(refresh),
}).then((data) => data && refresh());

const rows = (it) => h('span', { class: 'share' },
  it.state === 'running' && h('progress', { max: Math.max(1, it.rows_total), value: it.rows_done, 'aria-label': t('console.codes.progress') }),
  it.rows_done === it.rows_total ? number(it.rows_total) : number(it.rows_done) + ' / ' + number(it.rows_total));

async function create(context) {
  const { products } = expect(await context.ask('GET', '/redeem/products'));
  const name = (word) => (word.startsWith('map.') ? t('console.import.map.' + word.slice(4)) : t('console.import.' + word));
  const option = (word, more = {}) => field({ name: word, label: name(word), help: t('console.import.' + word + '.help'), autocomplete: 'off', spellcheck: 'false', ...more });
  const file = field({ name: 'file', label: t('console.codes.file'), help: t('console.import.file.help'), type: 'file', required: true, accept: '.csv,.tsv,.txt,text/csv,text/plain,text/tab-separated-values' });
  const usual = [
    option('product', { type: 'select', options: [['', t('console.import.in_file')], ...products.map((each) => [each.id, each.name + ' (' + each.id + ')'])] }),
    option('status', { type: 'select', options: [['', t('console.import.in_file')], ...STATUSES.map((word) => [word, statusText(word)])] }),
    option('zone', { value: Intl.DateTimeFormat().resolvedOptions().timeZone, maxlength: 200 }),
  ];
  const more = [
    option('platform', { maxlength: 200, autocapitalize: 'none' }),
    option('currency', { maxlength: 3, placeholder: 'CNY', autocapitalize: 'characters' }),
    option('encoding', { type: 'select', options: [['', t('console.import.detected')], ...ENCODINGS.map((each) => [each, each])] }),
    option('exported_at', { type: 'datetime-local' }),
    option('trust_zeros', { type: 'checkbox' }),
  ];
  const columns = COLUMNS.map((each) => field({ name: 'map.' + each, label: name('map.' + each), maxlength: 200, autocomplete: 'off', spellcheck: 'false' }));
  const fields = [file, ...usual, ...more, ...columns];
  const box = problemBox();
  const sending = sender(context);
  const buttons = h('div', { class: 'tools' },
    h('button', { class: 'button primary', id: 'check' }, t('console.import.check')),
    h('button', { class: 'button quiet', id: 'send' }, t('console.import.send')));
  const submit = async (event) => {
    event.preventDefault();
    const chosen = file.control.files[0];
    box.hidden = true;
    if (chosen.size > MOST_BYTES) return refuse({ message: t('console.import.too_large'), data: { field: 'file' } }, fields, box);
    const options = Object.fromEntries([...usual, ...more, ...columns].map((each) => [each.name, each.read()]));
    options.currency = options.currency?.toUpperCase();
    buttons.hidden = true;
    const refused = await sending.send(chosen, { ...options, dry_run: event.submitter?.id !== 'send' });
    buttons.hidden = false;
    if (!refused) return;
    const at = fields.find((each) => each.name === refused.data.field)?.node.closest('details');
    if (at) at.open = true;
    refuse(refused, fields, box);
  };
  const form = h('form', { class: 'console-page', onsubmit: submit },
    part(null, file.node, h('div', { class: 'fields' }, usual.map((each) => each.node)),
      products.length === 0 && h('p', { class: 'note warn' }, h('span', {}, t('console.import.no_product'), ' ', h('a', { href: '/console/codes/products' }, t('console.redeem.products'))))),
    h('details', { class: 'part' }, h('summary', {}, t('console.import.more_options')),
      h('div', { class: 'fields' }, more.map((each) => each.node))),
    h('details', { class: 'part' }, h('summary', {}, t('console.import.columns')), h('p', { class: 'soft' }, t('console.import.columns_more')),
      h('div', { class: 'fields' }, columns.map((each) => each.node))),
    box, sending.node, buttons);
  return frame({ title: t('console.import.new'), more: t('console.import.new_more'), back }, form);
}

/** What a finished import asks the operator to do. */
function verdict(it) {
  const note = (kind, text) => h('p', { class: 'note ' + kind }, text);
  if (it.undone_at) return note('warn', t('console.import.was_undone'));
  if (it.state === 'running') return note('', t('console.import.is_running'));
  if (it.state !== 'done') return note('bad', t('console.import.continue'));
  const outcome = it.refused > 0
    ? t('console.import.some_refused', { rows: number(it.refused) })
    : t(it.dry_run ? 'console.import.all_readable' : 'console.import.all_done');
  const repeat = !it.dry_run && it.run > 1;
  return [repeat && h('p', {}, t('console.import.is_repeat', { run: number(it.run) })), note(it.refused > 0 ? 'warn' : 'good', sentences(it.dry_run && t('console.import.was_trial'), outcome)), it.notice && note('warn', it.notice)];
}

async function report(context, id) {
  const { ask, signal, refresh } = context;
  const path = '/orders/import/' + encodeURIComponent(id);
  let it = expect(await ask('GET', path));
  const state = h('span', { class: 'state-line' });
  const tools = h('div', { class: 'tools' });
  const outcome = h('div', { class: 'console-page', role: 'status' });
  const figures = h('div', {});
  const rest = h('div', { class: 'console-page' });
  let drawn;
  const draw = async () => {
    figures.replaceChildren(part(null, counts(it)));
    if (it.state === drawn) return;
    drawn = it.state;
    const own = it.unknown_words?.length ? expect(await ask('GET', '/orders/import-words')).words : [];
    const fill = (box, ...content) => box.replaceChildren(...content.flat().filter(Boolean));
    fill(state, stateBadge(it), it.dry_run && badge(t('console.codes.dry_run')));
    fill(tools, it.state === 'done' && !it.dry_run && !it.undone_at && undoButton(context, it));
    fill(outcome, verdict(it));
    const repeat = again(context, it, own);
    fill(rest, it.state !== 'running' && [unknownWords(context, it, own, repeat?.send), repeat?.node, it.refused_rows?.length && refusedRows(it)], earlierRuns(it));
  };
  await draw();
  if (it.state === 'running') {
    await every(1000, signal, async () => {
      if (it.state !== 'running') return;
      const answer = await ask('GET', path);
      if (!answer.ok || signal.aborted) return;
      it = answer.data;
      await draw();
    });
  }
  return frame({ title: it.file_name, more: state, tools, back }, outcome, figures, rest);
}

const counts = (it) => facts([
  [t('console.codes.progress'), rows(it)],
  ...['added', 'updated', 'unchanged', 'duplicates', 'refused', 'blank'].filter((name) => it[name] || name === 'added')
    .map((name) => [t('console.import.count.' + name), number(it[name])]),
  [t('console.import.encoding'), it.encoding], [t('console.import.started'), when(it.started_at)], [t('console.import.finished'), when(it.finished_at)],
]);

const undoButton = ({ ask, refresh }, it) => h('button', { class: 'button danger small', id: 'undo', onclick: () => act({
  title: t('console.codes.undo_ask', { file: it.file_name }), lines: [t('console.codes.undo_more')], button: t('console.codes.undo'), danger: true, typed: 'undo',
  run: () => ask('POST', '/orders/import/' + it.id + '/undo', undefined, { timeout: 60000 }),
  done: ({ undo: what }) => (what ? t('console.import.undone', { removed: number(what.removed), put_back: number(what.put_back), kept: number(what.kept) }) : t('console.saved')),
}).then((data) => data && refresh()) }, t('console.codes.undo'));

/** The earlier reports of a file that was imported more than once. */
const earlierRuns = (it) => !it.dry_run && it.earlier_runs?.length > 0 && part(t('console.import.earlier'), table(
  [
    { title: t('console.import.run_number'), cell: (each) => h('span', { class: 'links' }, t('console.import.run', { run: number(each.run) }), each.undone_at && stateBadge(each)) },
    ...['added', 'updated', 'unchanged', 'refused'].map((name) => ({ title: t('console.import.count.' + name), cell: (each) => each[name], number: true })),
    { title: t('console.audit.who'), cell: (each) => each.actor },
    { title: t('console.import.finished'), cell: (each) => when(each.finished_at) },
  ],
  it.earlier_runs, { caption: t('console.import.earlier') }));

/** Words that no list has, each with its meaning for all later files. check: sends the file again; none where it is not at hand. */
function unknownWords({ ask, refresh }, it, own, check) {
  if (!it.unknown_words?.length) return null;
  const box = problemBox();
  const meaning = new Map(own.map(({ word, status }) => [word, status]));
  const choices = new Map(it.unknown_words.map(({ word }) => [word, h('select', { 'aria-label': t('console.import.means_word', { word }) },
    h('option', { value: '' }, t('console.import.choose')),
    STATUSES.map((status) => h('option', { value: status, selected: meaning.get(word) === status }, statusText(status))))]));
  const submit = async (event) => {
    event.preventDefault();
    const changed = [...choices].filter(([word, { value }]) => value && value !== meaning.get(word));
    if (changed.length === 0) return refuse({ message: t('console.import.choose_one') }, [], box);
    for (const [word, { value }] of changed) {
      const answer = await mapWord(ask, word, value);
      if (!answer.ok) return refuse(answer, [], box);
    }
    if (it.dry_run && check) {
      toast(t('console.import.mapped_checking'), 'good');
      return check(true);
    }
    toast(t('console.import.mapped'), 'good');
    return refresh();
  };
  return part(t('console.import.words'), h('p', { class: 'soft' }, t('console.import.words_more')),
    h('form', { class: 'console-page', id: 'words', onsubmit: submit },
      table(
        [
          { title: t('console.import.word'), cell: ({ word }) => word },
          { title: t('console.codes.progress'), cell: (each) => each.rows, number: true },
          { title: t('console.import.means'), cell: ({ word }) => h('span', { class: 'field' }, choices.get(word)) },
        ],
        it.unknown_words, { caption: t('console.import.words') }),
      box, h('div', { class: 'tools' }, h('button', { class: 'button primary' }, t('console.import.save_words')))));
}

/** Sends the file of a report again: for good after a trial, or after words or products were added. send: as a trial or not. */
function again(context, it, own) {
  const mended = it.refused > 0 || it.state !== 'done' || it.undone_at;
  if (!it.dry_run && !mended) return null;
  const mapped = it.unknown_words?.some(({ word }) => own.some((each) => each.word === word));
  const stale = mapped && h('p', { class: 'note warn' }, t('console.import.stale'));
  if (kept?.id !== it.id) {
    const advice = t(it.dry_run && !mapped ? 'console.import.choose_file' : 'console.import.choose_file_again');
    return { node: h('div', { class: 'console-page' }, stale, h('p', { class: 'soft' }, advice, ' ', h('a', { href: HOME + '/new' }, t('console.import.new')))) };
  }
  const { file, options } = kept;
  const sending = sender(context);
  const box = problemBox();
  const send = async (dry) => {
    buttons.hidden = true;
    const refused = await sending.send(file, { ...options, dry_run: dry });
    buttons.hidden = false;
    if (refused) refuse(refused, [], box);
  };
  const checkFirst = it.dry_run && mapped;
  const importNow = it.dry_run && h('button', { class: 'button ' + (it.unknown_words?.length ? 'quiet' : 'primary'), id: 'send', onclick: () => send(false) }, t('console.import.send_now'));
  const repeat = mended && h('button', { class: 'button ' + (it.dry_run && !checkFirst ? 'quiet' : 'primary'), id: 'again', onclick: () => send(it.dry_run) }, t(it.dry_run ? 'console.import.check_again' : 'console.import.send_again'));
  const buttons = h('div', { class: 'tools' }, checkFirst ? [repeat, importNow] : [importNow, repeat]);
  return { node: h('div', { class: 'console-page' }, stale, box, sending.node, buttons), send };
}

const refusedRows = (it) => part(t('console.import.refused_rows'),
  h('p', { class: 'soft' }, t('console.import.refused_more')),
  h('div', { class: 'tools' }, h('a', { class: 'button quiet small', href: '/api/admin/orders/import/' + encodeURIComponent(it.id) + '/errors.csv', download: '' }, t('console.import.errors'))),
  table(
    [{ title: t('console.import.row'), cell: (each) => each.row, number: true }, { title: t('console.import.todo'), cell: (each) => each.problem }],
    it.refused_rows, { caption: t('console.import.refused_rows') }),
  it.refused > it.refused_rows.length && h('p', { class: 'soft' }, t('console.import.more_refused', { rows: number(it.refused - it.refused_rows.length) })));
