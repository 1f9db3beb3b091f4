// The operator's console: navigation, keyboard, command palette. Each section is a module of its own, loaded when it is opened.
import { call } from './api.js';
import { h } from './dom.js';
import { page, t } from './text.js';
import { addressed, signInLink, skeleton, toast } from './console-ui.js';

const API = '/api/admin';
const RANKS = { checkin: [], viewer: ['viewer'], support: ['viewer', 'support'], seller: ['viewer', 'seller'], owner: ['viewer', 'support', 'seller', 'owner'] };

/** The sections: their name in the address, the key after g, the roles that see them. The title is the text console.nav.NAME. */
const SECTIONS = [
  { name: 'sales', key: 's', roles: ['viewer'], load: () => import('./console-sales.js') },
  { name: 'orders', key: 'o', roles: ['support', 'seller'], load: () => import('./console-orders.js') },
  { name: 'people', key: 'p', roles: ['support'], load: () => import('./console-people.js') },
  { name: 'appeals', key: 'a', roles: ['support'], load: () => import('./console-appeals.js') },
  { name: 'blocks', key: 'b', roles: ['support'], load: () => import('./console-blocks.js') },
  { name: 'policies', key: 'l', roles: ['owner'], load: () => import('./console-policies.js') },
  ...page.sections.map(({ name, key, roles }) => ({ name, key, roles, load: () => import('./console-' + name + '.js') })),
  { name: 'webhooks', key: 'w', roles: ['support', 'seller'], load: () => import('./console-webhooks.js') },
  { name: 'audit', key: 'u', roles: ['owner'], load: () => import('./console-audit.js') },
  { name: 'operators', key: 'e', roles: ['owner'], load: () => import('./console-operators.js') },
  { name: 'settings', key: 't', roles: ['owner'], load: () => import('./console-settings.js') },
  { name: 'me', key: 'm', roles: ['viewer'], load: () => import('./console-me.js') },
];

const main = document.getElementById('main');
const nav = document.getElementById('console-nav');
const menu = document.getElementById('menu');
let leaving = new AbortController();
let placed = '';
let commands = [];
const signedOut = h('p', { class: 'note bad', id: 'signed-out', role: 'alert' }, h('span', {}, t('console.signed_out')), signInLink());

/** Whether the operator's role includes one of these. */
const may = (...roles) => roles.some((role) => RANKS[page.me.role].includes(role));

const visible = () => SECTIONS.filter((section) => may(...section.roles));
const href = (section) => '/console/' + section.name;
const title = (section) => t('console.nav.' + section.name);

/** Calls the admin API; send: another way to do it than call(). After the end of the session the page stays as it is, with a link to sign in. */
async function ask(method, path, body, { send = call, ...options } = {}) {
  const answer = await send(method, API + path, { body, ...options });
  if (answer.status === 401) document.querySelector('.console-body').before(signedOut);
  else if (answer.ok) signedOut.remove();
  return answer;
}

/** Opens another page of the console. */
function go(address, { replace = false } = {}) {
  history[replace ? 'replaceState' : 'pushState'](null, '', address);
  return show();
}

function current() {
  const [, , name = '', ...rest] = location.pathname.split('/').map(decodeURIComponent);
  return { section: visible().find((section) => section.name === (name || 'sales')), rest };
}

async function show() {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  commands = [];
  closeMenu();
  const { section, rest } = current();
  mark(section);
  if (!section) return place(h('div', { class: 'empty' }, h('h1', {}, t('console.no_page')), h('p', {}, t('console.no_page_more'))), signal);
  main.setAttribute('aria-busy', 'true');
  // A page that loads again keeps what it shows.
  const slow = location.pathname !== placed && setTimeout(() => main.replaceChildren(skeleton()), 200);
  signal.addEventListener('abort', () => clearTimeout(slow));
  const context = {
    path: rest, query: new URLSearchParams(location.search), signal, me: page.me, may, ask, go,
    refresh: show,
    command: (label, run) => commands.push({ label, run }),
  };
  try {
    const content = await (await section.load()).show(context);
    if (!signal.aborted) place(content, signal);
  } catch (problem) {
    if (!signal.aborted) place(failed(problem), signal);
  } finally {
    clearTimeout(slow);
  }
}

function failed(problem) {
  if (!problem.answer) console.error(problem);
  return h('div', { class: 'empty', role: 'alert' },
    h('h1', {}, t('console.failed')), h('p', {}, problem.answer?.message ?? t('error.network')),
    h('button', { class: 'button quiet', onclick: show }, t('console.again')));
}

function place(content, signal) {
  main.removeAttribute('aria-busy');
  placed = location.pathname;
  main.replaceChildren(content);
  const heading = main.querySelector('h1');
  document.title = (heading?.textContent ?? t('console.title')) + ' · Fairgate';
  // Screen readers read the new heading; a field with autofocus goes first.
  const field = main.querySelector('[autofocus]');
  if (field) field.focus();
  else if (heading) {
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }
  if (!signal.aborted) scrollTo(0, 0);
}

function mark(section) {
  for (const link of nav.querySelectorAll('a[data-section]')) {
    if (link.dataset.section === section?.name) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

function closeMenu() {
  nav.classList.remove('shown');
  menu.setAttribute('aria-expanded', 'false');
}

function drawNavigation() {
  nav.replaceChildren(h('ul', {}, visible().map((section) => h('li', {},
    h('a', { href: href(section), 'data-section': section.name },
      h('span', {}, title(section)), h('kbd', { 'aria-hidden': 'true' }, 'g ' + section.key)))),
  // A page of its own, which works without a connection.
  may('support', 'seller') && h('li', {}, h('a', { href: '/console/check-in' }, t('checkin.title')))));
}

menu.addEventListener('click', () => {
  const shown = nav.classList.toggle('shown');
  menu.setAttribute('aria-expanded', String(shown));
  if (shown) nav.querySelector('a')?.focus();
});

// Links within the console change the page without loading it; all others, and those with a modifier, stay as they are.
document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href]');
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || link.target || link.download) return;
  const address = addressed(link);
  if (!address) return;
  event.preventDefault();
  go(address);
});
addEventListener('popstate', show);
// Nobody knows whether an act was done: the page shows what is there now.
document.addEventListener('uncertain', show);

/** The palette: sections, what the page offers, and the sales by name. */
async function palette() {
  if (document.querySelector('dialog[open]')) return;
  const choices = [
    ...commands,
    ...visible().map((section) => ({ label: title(section), hint: 'g ' + section.key, run: () => go(href(section)) })),
  ];
  const list = h('ul', { id: 'palette-list', role: 'listbox', 'aria-label': t('console.palette') });
  const input = h('input', {
    type: 'text', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'palette-list', 'aria-autocomplete': 'list',
    'aria-label': t('console.palette'), placeholder: t('console.palette_hint'), autocomplete: 'off', spellcheck: 'false',
  });
  const dialog = h('dialog', { class: 'palette', 'aria-label': t('console.palette'), onclose: () => dialog.remove() }, input, list);
  let at = 0;
  const run = (choice) => {
    dialog.close();
    choice.run();
  };
  const draw = () => {
    const wanted = input.value.trim().toLowerCase();
    const found = choices.filter((choice) => choice.label.toLowerCase().includes(wanted)).slice(0, 12);
    at = Math.min(at, Math.max(0, found.length - 1));
    list.replaceChildren(...found.map((choice, i) => h('li', {
      id: 'choice-' + i, role: 'option', 'aria-selected': String(i === at), onclick: () => run(choice),
    }, h('span', {}, choice.label), choice.hint && h('kbd', {}, choice.hint))));
    if (found.length) input.setAttribute('aria-activedescendant', 'choice-' + at);
    else list.replaceChildren(h('li', { class: 'soft', role: 'option', 'aria-disabled': 'true', 'aria-selected': 'false' }, t('console.palette_none')));
    return found;
  };
  input.addEventListener('input', () => {
    at = 0;
    draw();
  });
  input.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const found = draw();
    if (step && found.length) {
      event.preventDefault();
      at = (at + step + found.length) % found.length;
      draw();
    } else if (event.key === 'Enter' && found[at]) {
      event.preventDefault();
      run(found[at]);
    }
  });
  document.body.append(dialog);
  draw();
  dialog.showModal();
  const answer = await ask('GET', '/products');
  if (answer.ok && dialog.open) {
    choices.push(...answer.data.products.map((product) => ({
      label: product.name, hint: product.id, run: () => go('/console/sales/' + product.id),
    })));
    draw();
  }
}

function help() {
  if (document.querySelector('dialog[open]')) return;
  const line = (keys, what) => h('li', {}, h('span', {}, what), h('kbd', {}, keys));
  const dialog = h('dialog', { 'aria-labelledby': 'help', onclose: () => dialog.remove() },
    h('h2', { id: 'help' }, t('console.keys')),
    h('ul', { class: 'keys' },
      line('Ctrl K', t('console.palette')),
      line('/', t('console.keys_search')),
      line('?', t('console.keys')),
      line('Esc', t('console.keys_close')),
      visible().map((section) => line('g ' + section.key, title(section)))),
    h('div', { class: 'row' }, h('button', { class: 'button quiet', autofocus: true, onclick: () => dialog.close() }, t('console.close'))));
  document.body.append(dialog);
  dialog.showModal();
}

let afterG = 0;
document.addEventListener('keydown', (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
    event.preventDefault();
    return palette();
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.closest('input, select, textarea, dialog, [contenteditable]')) return;
  if (afterG > Date.now() - 1500) {
    afterG = 0;
    const section = visible().find(({ key }) => key === event.key.toLowerCase());
    if (section) {
      event.preventDefault();
      go(href(section));
    }
  } else if (event.key === 'g') afterG = Date.now();
  else if (event.key === '?') help();
  else if (event.key === '/') {
    const field = main.querySelector('input[type=search]');
    if (!field) return;
    event.preventDefault();
    field.focus();
  }
});
document.getElementById('find').addEventListener('click', palette);
document.getElementById('keys').addEventListener('click', help);
addEventListener('offline', () => toast(t('console.offline'), 'bad'));
drawNavigation();
show();
