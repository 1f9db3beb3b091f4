// Fields of forms that consist of several controls: a length of time with its unit, and rows of values.
import { h, say } from './dom.js';
import { number, t } from './text.js';
import { field } from './console-ui.js';

const UNITS = [1, 60, 3600];

/** The largest unit in which a number of seconds is whole. */
const unitOf = (seconds) => (seconds > 0 ? UNITS.findLast((unit) => seconds % unit === 0) : 60);

/** A length of time; its value is in seconds. suggested: the seconds whose unit an empty field has. */
export function durationField({ value, suggested, ...spec }) {
  const chosen = unitOf(value ?? suggested);
  const base = field({ ...spec, type: 'number', min: 0, step: 'any', value: value === null || value === undefined ? '' : value / chosen });
  const unit = h('select', { 'aria-label': t('console.sale.unit', { name: spec.label }) }, UNITS.map((each) => h('option', { value: each, selected: each === chosen }, t('console.sale.unit.' + each))));
  const box = h('span', { class: 'duration' });
  base.control.replaceWith(box);
  box.append(base.control, unit);
  return {
    ...base, unit,
    read() {
      const amount = base.read();
      return amount === null ? null : Math.round(amount * Number(unit.value));
    },
    take(other) {
      base.control.value = other.control.value;
      unit.value = other.unit.value;
    },
  };
}

/** Two lengths of time in seconds, the shorter one first; its value is in milliseconds. */
export function rangeField({ name, label, help, min, max }) {
  const ends = ['from', 'to'].map((end) => field({ name: name + '.' + end, label: t('console.sale.range.' + end), type: 'number', min, max, step: 'any' }));
  const problem = h('p', { class: 'field-problem', hidden: true });
  const node = h('fieldset', { class: 'field rows' }, h('legend', {}, label), help && h('p', { class: 'soft' }, help), h('div', { class: 'fields' }, ends.map((each) => each.node)), problem);
  return {
    name, node, label,
    control: ends[0].control,
    read() {
      const values = ends.map((each) => each.read());
      return values.every((value) => value === null) ? null : values.map((value) => Math.round(value * 1000));
    },
    take(other) {
      other.ends.forEach((each, i) => {
        ends[i].control.value = each.control.value;
      });
    },
    ends,
    /** The server speaks of milliseconds. */
    refuse(text) {
      problem.hidden = !text;
      say(problem, text ? t('console.sale.range.problem', { min: number(min), max: number(max) }) : '');
      for (const { control } of ends) {
        if (text) control.setAttribute('aria-invalid', 'true');
        else control.removeAttribute('aria-invalid');
      }
    },
  };
}

/** Rows of fields; columns: specs of field(). The value is a list of objects without the empty rows. */
export function rowsField({ name, label, help, value, columns, add, most }) {
  let rows = [];
  const list = h('div', { class: 'value-rows' });
  const problem = h('p', { class: 'field-problem', hidden: true });
  const button = h('button', { class: 'button quiet small', type: 'button', 'data-add': name, onclick: () => {
    append({});
    rows.at(-1).fields[0].control.focus();
  } }, add);
  const node = h('fieldset', { class: 'field rows' }, h('legend', {}, label), help && h('p', { class: 'soft' }, help), list, problem, h('div', { class: 'tools' }, button));
  const changed = () => {
    button.disabled = rows.length >= most;
    node.dispatchEvent(new Event('input', { bubbles: true }));
  };
  function append(item) {
    const fields = columns.map((column) => field({ ...column, name: name + '.' + column.name, value: item[column.name] ?? column.value ?? '' }));
    const row = {
      fields,
      node: h('div', { class: 'fields' }, fields.map((each) => each.node),
        h('button', { class: 'button quiet small', type: 'button', onclick: () => {
          rows = rows.filter((each) => each !== row);
          row.node.remove();
          changed();
          button.focus();
        } }, t('console.sale.row_remove'))),
    };
    rows.push(row);
    list.append(row.node);
    changed();
  }
  function read() {
    const items = rows.map(({ fields }) => Object.fromEntries(fields.map((each, i) => [columns[i].name, each.read()])));
    return items.filter((item) => columns.some((column) => column.type !== 'select' && item[column.name] !== null));
  }
  for (const item of value ?? []) append(item);
  return {
    name, node, label, read,
    get control() {
      return rows[0]?.fields[0].control ?? button;
    },
    take(other) {
      rows = [];
      list.replaceChildren();
      other.read().forEach(append);
      changed();
    },
    refuse(text) {
      problem.hidden = !text;
      say(problem, text ?? '');
      for (const row of rows) for (const each of row.fields) each.control.removeAttribute('aria-invalid');
      if (text) rows[0]?.fields[0].control.setAttribute('aria-invalid', 'true');
    },
  };
}
