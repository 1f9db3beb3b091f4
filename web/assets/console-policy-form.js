// The risk policy as a form over its document, and the difference between two documents.
import { h } from './dom.js';
import { number, t } from './text.js';
import { field } from './console-ui.js';

const BANDS = ['low', 'medium', 'high', 'severe', 'critical'];
const ACTIONS = ['pass', 'silent_check', 'challenge', 'slider', 'code', 'passkey', 'seat_behind', 'hold', 'refuse'];
const LANGUAGES = [['en', 'English'], ['zh-Hant', '繁體中文'], ['zh-Hans', '简体中文']];

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The document of a text, as far as the form can show it; null for any other text. */
export function parsed(text) {
  try {
    const document = JSON.parse(text);
    const rules = document?.rules;
    return isObject(document.bands) && Object.values(document.bands).every(isObject) && Array.isArray(rules) && rules.every(isObject) ? document : null;
  } catch {
    return null;
  }
}

/** The fields of one band. Changes are written into the document. */
function bandFields(document, name, changed) {
  const band = document.bands[name] ?? {};
  const set = (member, value) => {
    document.bands[name] = { ...document.bands[name], [member]: value };
    changed();
  };
  const from = name === 'low' ? null : field({
    name: name + '.from', label: t('console.policies.from', { band: t('console.policies.band.' + name) }), type: 'number', value: band.from, step: 1,
    oninput: () => set('from', from.read()),
  });
  const action = field({
    name: name + '.action', label: t('console.policies.action', { band: t('console.policies.band.' + name) }), type: 'select', value: band.action,
    options: ACTIONS.map((word) => [word, t('console.people.action.' + word)]), onchange: () => set('action', action.read()),
  });
  return [from, action].filter(Boolean);
}

/** One rule, folded: what it counts is its heading. */
function ruleNode(document, rule, changed) {
  const heading = h('summary', {});
  const draw = () => heading.replaceChildren(h('code', {}, rule.code || '\u2013'), ' ', points(rule), rule.shadow ? ' \u00b7 ' + t('console.policies.shadowed') : '');
  const set = (name, value) => {
    if (value === null || value === false) delete rule[name];
    else rule[name] = value;
    draw();
    changed();
  };
  const bound = (spec) => {
    const each = field({ value: rule[spec.name], ...spec, oninput: () => set(spec.name, each.read()) });
    return each.node;
  };
  const texts = LANGUAGES.map(([tag, language]) => {
    const each = field({
      name: 'text.' + tag, label: t('console.policies.text', { language }), value: rule.text?.[tag], lang: tag, maxlength: 300,
      oninput: () => set('text', { ...rule.text, [tag]: each.read() ?? '' }),
    });
    return each.node;
  });
  const node = h('details', { class: 'rule', open: !rule.code }, heading,
    h('div', { class: 'fields' },
      bound({ name: 'code', label: t('console.policies.code'), spellcheck: 'false', autocapitalize: 'none', autocomplete: 'off' }),
      bound({ name: 'points', label: t('console.policies.points'), help: t('console.policies.points_help'), type: 'number', min: -100, max: 100, step: 1 }),
      bound({ name: 'shadow', label: t('console.policies.shadow_rule'), type: 'checkbox' })),
    bound({ name: 'when', label: t('console.policies.when'), type: 'textarea', rows: 2, spellcheck: 'false' }),
    h('div', { class: 'fields' }, texts),
    h('div', { class: 'tools' }, h('button', { class: 'button quiet small', type: 'button', onclick: () => {
      document.rules.splice(document.rules.indexOf(rule), 1);
      node.remove();
      changed();
    } }, t('console.policies.remove'))));
  draw();
  return node;
}

const points = ({ points: n = 0 }) => (n > 0 ? '+' : '') + number(n);

/** The form of a document. changed() is called after each change of it. */
export function policyForm(document, changed) {
  const rules = h('div', { class: 'rules' }, document.rules.map((rule) => ruleNode(document, rule, changed)));
  const add = () => {
    const rule = { code: '', when: '', points: 0, text: {} };
    document.rules.push(rule);
    const node = ruleNode(document, rule, changed);
    rules.append(node);
    node.querySelector('input').focus();
    changed();
  };
  return h('div', { class: 'console-page' },
    h('h2', {}, t('console.policies.bands')), h('p', { class: 'soft' }, t('console.policies.bands_more')),
    h('div', { class: 'fields' }, BANDS.flatMap((name) => bandFields(document, name, changed)).map((each) => each.node)),
    h('h2', {}, t('console.policies.rules')), rules,
    h('div', { class: 'tools' }, h('button', { class: 'button quiet small', type: 'button', id: 'add-rule', onclick: add }, t('console.policies.add_rule'))));
}

const bandText = (band) => (band ? [band.from ?? null, band.action && t('console.people.action.' + band.action)].filter((each) => each !== null && each !== undefined).join(' \u00b7 ') : '');
const ruleText = (rule) => (rule ? points(rule) + (rule.shadow ? ' \u00b7 ' + t('console.policies.shadowed') : '') + '\n' + rule.when : '');
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** What differs: [{what, was, now}]; an empty text is for what is not there. */
export function differences(was, now) {
  const all = [];
  for (const name of BANDS) {
    const pair = [was.bands[name], now.bands[name]];
    if (!same(...pair)) all.push({ what: t('console.policies.band.' + name), was: bandText(pair[0]), now: bandText(pair[1]) });
  }
  const by = (document) => new Map(document.rules.map((rule) => [rule.code, rule]));
  const [before, after] = [by(was), by(now)];
  for (const code of new Set([...before.keys(), ...after.keys()])) {
    const pair = [before.get(code), after.get(code)];
    if (same(...pair)) continue;
    const [old, fresh] = pair.map(ruleText);
    // A difference in its texts only.
    const tail = old === fresh ? pair.map((rule) => '\n' + JSON.stringify({ ...rule, code: undefined, when: undefined, points: undefined })) : ['', ''];
    all.push({ what: code, was: old + tail[0], now: fresh + tail[1] });
  }
  const names = Object.keys({ ...was, ...now }).filter((name) => name !== 'bands' && name !== 'rules');
  for (const name of names) if (!same(was[name], now[name])) all.push({ what: name, was: cut(was[name]), now: cut(now[name]) });
  return all;
}

const cut = (value) => (value === undefined ? '' : JSON.stringify(value).slice(0, 200));
