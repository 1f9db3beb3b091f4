// Waiting rooms in front of other sites: their numbers, and the switch.
import { h } from './dom.js';
import { t } from './text.js';
import { act, badge, expect, facts, field, frame, part, table } from './console-ui.js';

const MODES = ['off', 'on', 'standby'];
const COLOURS = { on: 'open', off: 'closed', standby: 'scheduled' };

export function show(context) {
  return context.path[0] ? one(context, context.path[0]) : list(context);
}

async function list({ ask }) {
  const { rooms } = expect(await ask('GET', '/rooms'));
  return frame({ title: t('console.nav.rooms'), more: t('console.rooms.more') }, table(
    [
      { title: t('console.rooms.room'), cell: (each) => h('a', { href: '/console/rooms/' + encodeURIComponent(each.id) }, each.id) },
      { title: t('console.rooms.mode'), cell: (each) => badge(t('console.rooms.mode.' + each.settings.mode), COLOURS[each.settings.mode]) },
      { title: t('console.rooms.hosts'), cell: (each) => each.settings.hosts.join(', ') },
      { title: t('console.rooms.capacity'), cell: (each) => each.settings.capacity, number: true },
      { title: t('console.rooms.rate'), cell: (each) => each.settings.rate, number: true },
    ],
    rooms, { empty: t('console.rooms.none'), caption: t('console.nav.rooms') }));
}

async function one({ ask, may, refresh }, id) {
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
    const paused = field({ name: 'paused', label: t('console.rooms.paused'), type: 'checkbox', value: settings.paused });
    return act({
      title: t('console.rooms.pace', { id }), lines: [t('console.rooms.pace_more')], button: t('console.save'), fields: [rate, capacity, paused],
      run: ({ values }) => ask('PATCH', address, values), done: t('console.saved'),
      undo: () => ask('PATCH', address, { rate: settings.rate, capacity: settings.capacity, paused: settings.paused ?? false }).then(refresh),
    }).then(done);
  };
  const numbers = Object.entries(it).filter(([, value]) => typeof value === 'number' || typeof value === 'string').filter(([name]) => name !== 'id');
  return frame(
    {
      title: id, back: ['/console/rooms', t('console.nav.rooms')],
      tools: may('seller') ? [
        h('button', { class: 'button quiet small', id: 'pace', onclick: pace }, t('console.rooms.pace_button')),
        h('button', { class: 'button danger small', id: 'turn', onclick: turn }, t('console.rooms.mode')),
      ] : [],
    },
    part(null, facts([
      [t('console.rooms.mode'), badge(t('console.rooms.mode.' + settings.mode), COLOURS[settings.mode])],
      settings.paused && [t('console.rooms.paused'), t('console.yes')],
      [t('console.rooms.hosts'), settings.hosts.join(', ')],
      [t('console.rooms.capacity'), settings.capacity], [t('console.rooms.rate'), settings.rate],
    ])),
    part(t('console.rooms.numbers'), facts(numbers.map(([name, value]) => [name, String(value)]))),
    h('details', { class: 'part' }, h('summary', {}, t('console.rooms.settings')), h('pre', { class: 'document', tabindex: 0 }, JSON.stringify(settings, null, 2))));
}
