// Redeemable products: what the orders of other platforms are redeemed for.
import { h } from './dom.js';
import { number, t } from './text.js';
import { act, expect, field, frame, lesson, table } from './console-ui.js';

const MOST_DAYS = 36500;
const NAMES = ['name', 'duration_days', 'starts', 'activate_within_days', 'code_prefix', 'codes'];

/** When a code ends, in a sentence. */
function validity({ duration_days: days, starts, activate_within_days: within }) {
  if (!days) return t('console.redeem.valid.always');
  if (starts !== 'first_use') return t('console.redeem.valid.claim', { days: number(days) });
  return t(within ? 'console.redeem.valid.first_use_within' : 'console.redeem.valid.first_use', { days: number(days), within: number(within ?? 0) });
}

const claimPage = (id) => '/claim?' + new URLSearchParams({ product: id });

const put = (ask, product) => ask('PUT', '/redeem/products/' + encodeURIComponent(product.id),
  Object.fromEntries(NAMES.filter((name) => product[name] != null).map((name) => [name, product[name]])));

/** Creates a product, or edits the given one. known: all products. */
function edit({ ask, refresh }, known, it) {
  const text = (name, more) => field({ name, label: t('console.redeem.' + name), help: t('console.redeem.' + name + '.help'), value: it?.[name], ...more });
  const days = (name) => text(name, { type: 'number', min: 1, max: MOST_DAYS, inputmode: 'numeric' });
  const words = (name, all) => text(name, { type: 'select', options: all.map((word) => [word, t('console.redeem.' + name + '.' + (word || 'unset'))]) });
  const code = { autocomplete: 'off', spellcheck: 'false' };
  const within = days('activate_within_days');
  const starts = words('starts', ['claim', 'first_use']);
  const fields = [
    text('name', { required: true, maxlength: 200, autocomplete: 'off' }),
    ...(it ? [] : [text('id', { required: true, maxlength: 50, pattern: '[A-Za-z0-9][A-Za-z0-9._\\-]*', autocapitalize: 'none', ...code })]),
    days('duration_days'), starts, within,
    text('code_prefix', { maxlength: 12, autocapitalize: 'characters', ...code }),
    words('codes', ['', 'generated', 'seller']),
  ];
  const bySecondDate = () => (within.node.hidden = starts.read() !== 'first_use');
  starts.control.addEventListener('change', bySecondDate);
  bySecondDate();
  const product = (values) => ({
    ...it, ...values,
    activate_within_days: values.starts === 'first_use' ? values.activate_within_days : null,
    code_prefix: values.code_prefix?.toUpperCase(),
  });
  return act({
    title: it ? t('console.redeem.edit', { name: it.name }) : t('console.redeem.new'), lines: it ? [t('console.redeem.edit_more')] : [],
    button: t(it ? 'console.save' : 'console.redeem.create'), fields, preview: validity,
    run({ values }) {
      const id = it?.id ?? values.id;
      // A PUT would change a product that exists.
      if (!it && known.some((each) => each.id === id)) return { ok: false, message: t('console.redeem.exists', { id }), data: { field: 'id' } };
      return put(ask, { ...product(values), id });
    },
    done: t('console.saved'), undo: it && (() => put(ask, it).then(refresh)),
  }).then((data) => data && refresh());
}

export async function show(context, tabs) {
  const { products } = expect(await context.ask('GET', '/redeem/products'));
  const seller = context.may('seller');
  const create = (kind) => h('button', { class: 'button primary ' + kind, id: 'new', onclick: () => edit(context, products) }, t('console.redeem.new'));
  return frame(
    { title: t('console.redeem.products'), more: t('console.redeem.more'), tools: seller && products.length ? [create('small')] : [] },
    tabs,
    products.length === 0
      ? lesson(t('console.redeem.none'), [t('console.redeem.step.product'), t('console.redeem.step.import'), t('console.redeem.step.claim')], seller && create(''))
      : table(
        [
          { title: t('console.redeem.name'), cell: (each) => each.name },
          { title: t('console.redeem.id'), cell: (each) => h('code', {}, each.id) },
          { title: t('console.redeem.validity'), cell: validity },
          { title: t('console.redeem.code_prefix'), cell: (each) => each.code_prefix },
          { title: t('console.redeem.codes'), cell: (each) => t('console.redeem.codes.' + (each.codes ?? 'unset')) },
          { title: t('console.acts'), cell: (each) => h('span', { class: 'links' },
            seller && h('button', { class: 'button quiet small', 'data-edit': each.id, onclick: () => edit(context, products, each) }, t('console.redeem.edit_button')),
            h('a', { href: claimPage(each.id), target: '_blank', rel: 'noopener' }, t('console.redeem.claim_page'))) },
        ],
        products, { caption: t('console.redeem.products') }));
}
