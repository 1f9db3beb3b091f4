// The challenge before a code for a new password is sent.
import { proveFor } from './challenge.js';
import { say } from './dom.js';
import { t } from './text.js';

const form = document.getElementById('ask');
const host = document.getElementById('widget');
const status = document.getElementById('status');

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  button.disabled = true;
  say(status, t('check.title'));
  try {
    form.elements.turnstile_token.value = await proveFor('reset', {
      host, onProgress() {}, signal: new AbortController().signal,
    });
    form.submit();
  } catch (failure) {
    say(status, failure instanceof Error ? t('check.failed') : failure.message);
    button.disabled = false;
  } finally {
    host.replaceChildren();
  }
});

// A page that comes from the browser's memory has a used solution and a disabled button.
addEventListener('pageshow', () => {
  form.querySelector('button').disabled = false;
  say(status, '');
});
