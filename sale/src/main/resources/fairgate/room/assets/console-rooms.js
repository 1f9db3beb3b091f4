// Waiting rooms in front of other sites: their numbers, and the switch.
import { h } from './dom.js';
import { number, t } from './text.js';
import { act, badge, expect, facts, field, frame, part, table } from './console-ui.js';

const MODES = ['off', 'on', 'standby'];
const COLOURS = { on: 'open', off: 'closed', standby: 'scheduled' };

const state = ({ mode, paused }) => [badge(t('console.rooms.mode.' + mode), COLOURS[mode]), ...(paused ? [' ', badge(t('console.rooms.paused'), 'paused')] : [])];

export function show(context) {
  return context.path[0] ? one(context, context.path[0]) : list(context);
}

/** A room begins turned off: nobody waits before its settings were checked. */
function create({ ask, go }) {
  const text = (name, more = {}) => field({ name, label: t('console.rooms.' + name), help: t('console.rooms.' + name + '.help'), autocomplete: 'off', spellcheck: 'false', ...more });
  const fields = [
    text('id', { required: true, maxlength: 40 }),
    text('hosts', { required: true }),
    text('include'),
    text('return_url', { type: 'url' }),
    field({ name: 'capacity', label: t('console.rooms.capacity'), type: 'number', min: 1, value: 1000, required: true }),
    field({ name: 'rate', label: t('console.rooms.rate'), type: 'number', min: 0.01, step: 'any', value: 10, required: true }),
  ];
  const words = (value) => (value ?? '').split(/[\s,]+/).filter(Boolean);
  return act({
    title: t('console.rooms.new'), lines: [t('console.rooms.new_more')], button: t('console.rooms.create'), fields,
    run: ({ values: { id, hosts, include, return_url, capacity, rate } }) =>
      ask('POST', '/rooms', { id, hosts: words(hosts), paths: { include: words(include) }, ...(return_url && { return_url }), capacity, rate }),
    done: t('console.saved'),
  }).then((made) => made && go('/console/rooms/' + encodeURIComponent(made.id)));
}

async function list(context) {
  const { rooms } = expect(await context.ask('GET', '/rooms'));
  const tools = context.may('seller') ? [h('button', { class: 'button primary small', id: 'new', onclick: () => create(context) }, t('console.rooms.new'))] : [];
  return frame({ title: t('console.nav.rooms'), more: t('console.rooms.more'), tools }, table(
    [
      { title: t('console.rooms.room'), cell: (each) => h('a', { href: '/console/rooms/' + encodeURIComponent(each.id) }, each.id) },
      { title: t('console.rooms.mode'), cell: (each) => state(each.settings) },
      { title: t('console.live.waiting'), cell: (each) => each.waiting, number: true },
      { title: t('console.rooms.hosts'), cell: (each) => each.settings.hosts.join(', ') },
      { title: t('console.rooms.capacity'), cell: (each) => each.settings.capacity, number: true },
      { title: t('console.rooms.rate'), cell: (each) => each.settings.rate, number: true },
    ],
    rooms, { empty: t('console.rooms.none'), caption: t('console.nav.rooms') }));
}

async function one({ ask, may, refresh, go }, id) {
  const address = '/rooms/' + encodeURIComponent(id);
  const it = expect(await ask('GET', address));
  const { settings } = it;
  const done = (data) => data && refresh();
  const turn = () => {
    const mode = field({ name: 'mode', label: t('console.rooms.mode'), type: 'select', value: settings.mode, options: MODES.map((word) => [word, t('console.rooms.mode.' + word)]) });
    return act({
      title: t('console.rooms.turn', { id }), button: t('console.save'), danger: true, fields: [mode], preview: (values) => t('console.rooms.mode_effect.' + values.mode),
      run: ({ values }) => ask('PUT', address + '/mode', { mode: values.mode }), done: t('console.saved'),
      undo: () => ask('PUT', address + '/mode', { mode: settings.mode }).then(refresh),
    }).then(done);
  };
  const pace = () => {
    const rate = field({ name: 'rate', label: t('console.rooms.rate'), type: 'number', value: settings.rate, min: 0, required: true });
    const capacity = field({ name: 'capacity', label: t('console.rooms.capacity'), type: 'number', value: settings.capacity, min: 1, required: true });
    return act({
      title: t('console.rooms.pace', { id }), lines: [t('console.rooms.pace_more')], button: t('console.save'), fields: [rate, capacity],
      run: ({ values }) => ask('PATCH', address, values), done: t('console.saved'),
      undo: () => ask('PATCH', address, { rate: settings.rate, capacity: settings.capacity }).then(refresh),
    }).then(done);
  };
  const step = settings.paused ? 'resume' : 'pause';
  const pause = () => {
    const set = (paused) => ask('PATCH', address, { paused });
    return act({
      title: t('console.live.' + step + '_ask', { name: id }), lines: [t('console.rooms.' + step + '_effect')], button: t('console.live.' + step), done: t('console.saved'),
      run: () => set(!settings.paused), undo: () => set(Boolean(settings.paused)).then(refresh),
    }).then(done);
  };
  const edit = () => {
    const text = JSON.stringify(settings, null, 2);
    const document = field({ name: 'settings', label: t('console.rooms.settings'), type: 'textarea', value: text, rows: 16, spellcheck: 'false', required: true });
    return act({
      title: t('console.rooms.edit', { id }), lines: [t('console.rooms.pace_more')], button: t('console.save'), fields: [document],
      run({ values }) {
        try {
          return ask('PUT', address, JSON.parse(values.settings));
        } catch (e) {
          return { ok: false, message: t('console.rooms.no_json', { problem: e.message }), data: { field: 'settings' } };
        }
      },
      done: t('console.saved'), undo: () => ask('PUT', address, settings).then(refresh),
    }).then(done);
  };
  const remove = () => act({
    title: t('console.rooms.delete', { id }), lines: [t('console.rooms.delete_more')], button: t('console.rooms.delete_button'), danger: true, reason: true, typed: id,
    run: ({ reason }) => ask('DELETE', address + '?' + new URLSearchParams({ reason })), done: t('console.rooms.deleted', { id }),
  }).then((gone) => gone && go('/console/rooms'));
  const numbers = Object.entries(it).filter(([, value]) => typeof value === 'number' || typeof value === 'string').filter(([name]) => name !== 'id' && name !== 'waiting');
  return frame(
    {
      title: id, back: ['/console/rooms', t('console.nav.rooms')],
      tools: may('seller') ? [
        h('button', { class: 'button quiet small', id: 'delete', onclick: remove }, t('console.rooms.delete_button')),
        h('button', { class: 'button quiet small', id: 'edit', onclick: edit }, t('console.rooms.edit_button')),
        h('button', { class: 'button quiet small', id: 'pace', onclick: pace }, t('console.rooms.pace_button')),
        h('button', { class: 'button quiet small', id: step, onclick: pause }, t('console.live.' + step)),
        h('button', { class: 'button danger small', id: 'turn', onclick: turn }, t('console.rooms.mode')),
      ] : [],
    },
    part(null, facts([
      [t('console.rooms.mode'), state(settings)],
      [t('console.live.waiting'), it.waiting === null ? null : number(it.waiting)],
      [t('console.rooms.hosts'), settings.hosts.join(', ')],
      [t('console.rooms.capacity'), settings.capacity], [t('console.rooms.rate'), settings.rate],
    ])),
    part(t('console.rooms.numbers'), facts(numbers.map(([name, value]) => [name, String(value)]))),
    h('details', { class: 'part' }, h('summary', {}, t('console.rooms.settings')), h('pre', { class: 'document', tabindex: 0 }, JSON.stringify(settings, null, 2))));
}
