// Builds elements; no framework.
import { assets } from './text.js';

/** h('p', {class: 'x', onclick: f}, 'text', child): an element. Absent children and attributes are skipped. */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A decorative drawing out of icons.svg. */
export function icon(name) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  svg.append(document.createElementNS(space, 'use'));
  svg.firstChild.setAttribute('href', assets + '/icons.svg#' + name);
  return svg;
}

/** Sets text only where it changed, so that nothing is repainted or read out again. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A progress bar; set(0..1) moves it. */
export function bar(label, kind = '') {
  const fill = h('div', { class: 'fill' });
  const node = h('div', { class: 'bar ' + kind, role: 'progressbar', 'aria-label': label, 'aria-valuemin': 0, 'aria-valuemax': 100 }, fill);
  return {
    node,
    set(share) {
      const percent = Math.floor(Math.min(1, Math.max(0, share)) * 100);
      node.setAttribute('aria-valuenow', percent);
      fill.style.transform = 'scaleX(' + percent / 100 + ')';
    },
  };
}

/** Asks yes or no in a modal dialog; resolves to whether it was yes. */
export function confirmed(title, more, yes, no) {
  return new Promise((resolve) => {
    const close = (answer) => () => dialog.close(answer);
    const dialog = h('dialog', { 'aria-labelledby': 'ask', onclose: () => (resolve(dialog.returnValue === 'yes'), dialog.remove()) },
      h('h2', { id: 'ask' }, title), h('p', {}, more),
      h('div', { class: 'row' },
        h('button', { class: 'button quiet', onclick: close('no'), autofocus: true }, no),
        h('button', { class: 'button danger', onclick: close('yes') }, yes)));
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Replaces an operator's picture that cannot be loaded. */
export function mendPictures(root = document) {
  for (const picture of root.querySelectorAll('img.picture')) {
    const mend = () => (picture.src = assets + '/picture.svg');
    picture.addEventListener('error', mend, { once: true });
    if (picture.complete && picture.naturalWidth === 0 && picture.src) mend();
  }
}
