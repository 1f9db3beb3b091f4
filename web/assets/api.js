// Calls the JSON API and knows the server's clock.
import { lang, t } from './text.js';

let offset = 0;
let best = Infinity;

/** The server's time in ms. */
export const now = () => Date.now() + offset;

// The sample with the shortest round trip wins; the Date header alone has whole seconds only.
function learnClock(response, data, sent) {
  const exact = Number(data.server_time);
  const at = exact || Date.parse(response.headers.get('date')) + 500;
  const trip = Date.now() - sent + (exact ? 0 : 1000);
  if (!Number.isFinite(at) || trip >= best) return;
  best = trip;
  const measured = at - (sent + Date.now()) / 2;
  offset = exact || Math.abs(measured) > 1500 ? measured : 0;
}

/** A random key for one purchase; crypto.randomUUID exists on https pages only. */
export function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Never throws: {ok, data} or {ok: false, status, code, message, retryAfter (s), lost}; lost: nobody knows whether it arrived. */
export async function call(method, path, { body, session, headers = {}, timeout = 12000 } = {}) {
  const sent = Date.now();
  let response;
  try {
    response = await fetch(path, {
      method,
      cache: 'no-store',
      credentials: 'same-origin',
      headers: {
        Accept: 'application/json',
        'Accept-Language': lang,
        ...(body && { 'Content-Type': 'application/json' }),
        ...(session && { 'X-Session-Id': session }),
        ...headers,
      },
      body: typeof body === 'string' ? body : body && JSON.stringify(body),
      signal: AbortSignal.timeout?.(timeout),
    });
    const data = response.status === 204 ? {} : await response.json();
    learnClock(response, data, sent);
    if (response.ok && data.success !== false) return { ok: true, status: response.status, data };
    const retryAfter = Number(data.retry_after ?? response.headers.get('retry-after')) || 0;
    return {
      ok: false, status: response.status, code: data.error, data, retryAfter, lost: response.status >= 500,
      message: data.message ?? t('error.network'), reference: data.request_id,
    };
  } catch {
    return { ok: false, status: response?.status ?? 0, code: 'NETWORK', data: {}, retryAfter: 0, lost: true, message: t('error.network') };
  }
}

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Wait before try n, ms: doubling from one second to thirty, with full jitter. */
export const backOff = (n, retryAfter = 0) =>
  Math.max(500, retryAfter * 1000) + Math.random() * Math.min(30000, 1000 * 2 ** n);
