// The check of the gate; resolves to the token that join wants.
import { call } from './api.js';
import { t } from './text.js';

const WIDGETS = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
  hcaptcha: 'https://js.hcaptcha.com/1/api.js?render=explicit',
};

/**
 * Runs the challenge of joining. onProgress(0..1 or null), host: where a widget may appear. Without a level
 * ('usual', 'harder') the server may need none, and the token is empty.
 */
export function prove(product, { level, ...options }) {
  return solved(`product_id=${product}${level ? '&level=' + level : ''}`, options);
}

/** Runs the challenge of an action outside of sales. */
export const proveFor = (action, options) => solved('action=' + action, options);

async function solved(query, { host, onProgress, signal }) {
  const offer = await call('GET', '/api/challenge?' + query);
  if (!offer.ok) throw offer;
  const { provider, parameters, token } = offer.data;
  if (provider === 'none') return '';
  if (parameters) {
    const { solve } = await import('./altcha-solver.js');
    return solve(offer.data, { onProgress, signal });
  }
  return provider === 'test' ? token : widget(offer.data, host, signal);
}

const unsolved = () => Object.assign(Error(t('check.failed')), { unsolved: true });

function script(url) {
  return new Promise((resolve, reject) => {
    const element = document.createElement('script');
    element.src = url;
    element.onload = resolve;
    element.onerror = () => reject(unsolved());
    document.head.append(element);
  });
}

// The widget passes on what the token is for and whose it is; its service tells the server.
async function widget({ provider, site_key: sitekey, action, cdata: cData }, host, signal) {
  if (!window[provider]) await script(WIDGETS[provider]);
  return new Promise((resolve, reject) => {
    const fail = () => reject(unsolved());
    signal.addEventListener('abort', fail);
    const place = document.createElement('div');
    host.replaceChildren(place);
    window[provider].render(place, {
      sitekey,
      action,
      cData,
      callback: resolve,
      'error-callback': fail,
      'expired-callback': fail,
    });
  });
}
