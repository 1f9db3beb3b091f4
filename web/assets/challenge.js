// The check of the gate; resolves to the token that join wants.
import { call } from './api.js';
import { t } from './text.js';

const WIDGETS = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
  hcaptcha: 'https://js.hcaptcha.com/1/api.js?render=explicit',
};

/** Runs the configured challenge. onProgress(0..1 or null), host: where a widget may appear. */
export async function prove(product, { host, onProgress, signal }) {
  const config = await call('GET', '/api/challenge/config');
  if (!config.ok) throw new Error(config.message);
  switch (config.data.provider) {
    case 'altcha':
      return altcha(product, onProgress, signal);
    case 'test':
      return 'XXXX.DUMMY.TOKEN.XXXX';
    default:
      return widget(config.data, host, signal);
  }
}

async function altcha(product, onProgress, signal) {
  const [{ solve }, challenge] = await Promise.all([
    import('./altcha-solver.js'),
    call('GET', '/api/challenge?product_id=' + product),
  ]);
  if (!challenge.ok) throw new Error(challenge.message);
  return solve(challenge.data, { onProgress, signal });
}

function script(url) {
  return new Promise((resolve, reject) => {
    const element = document.createElement('script');
    element.src = url;
    element.onload = resolve;
    element.onerror = () => reject(new Error(t('check.failed')));
    document.head.append(element);
  });
}

async function widget({ provider, action, site_key: sitekey }, host, signal) {
  if (!window[provider]) await script(WIDGETS[provider]);
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(t('check.failed')));
    signal.addEventListener('abort', fail);
    const place = document.createElement('div');
    host.replaceChildren(place);
    window[provider].render(place, { sitekey, action, callback: resolve, 'error-callback': fail, 'expired-callback': fail });
  });
}
