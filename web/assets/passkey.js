// Passkeys: a button that adds one to the account, one that signs in, and one that passes the step of a join.
import { call } from './api.js';
import { say } from './dom.js';

const API = '/api/v1/passkeys';
const button = document.querySelector('[data-passkey]');
const problem = document.getElementById('passkey-problem');

const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
const named = (credentials = []) => credentials.map((one) => ({ ...one, id: bytes(one.id) }));

function complain(message) {
  problem.hidden = !message;
  say(problem, message);
}

/** The credential as the API takes it. */
function json(credential, response) {
  return {
    id: credential.id,
    rawId: credential.id,
    type: credential.type,
    clientExtensionResults: credential.getClientExtensionResults(),
    ...(credential.authenticatorAttachment && { authenticatorAttachment: credential.authenticatorAttachment }),
    response,
  };
}

async function create({ publicKey }) {
  const credential = await navigator.credentials.create({
    publicKey: {
      ...publicKey,
      challenge: bytes(publicKey.challenge),
      user: { ...publicKey.user, id: bytes(publicKey.user.id) },
      excludeCredentials: named(publicKey.excludeCredentials),
    },
  });
  return json(credential, {
    clientDataJSON: text(credential.response.clientDataJSON),
    attestationObject: text(credential.response.attestationObject),
    transports: credential.response.getTransports?.() ?? [],
  });
}

async function get({ publicKey }) {
  const credential = await navigator.credentials.get({
    publicKey: {
      ...publicKey,
      challenge: bytes(publicKey.challenge),
      allowCredentials: named(publicKey.allowCredentials),
    },
  });
  const { clientDataJSON, authenticatorData, signature, userHandle } = credential.response;
  return json(credential, {
    clientDataJSON: text(clientDataJSON),
    authenticatorData: text(authenticatorData),
    signature: text(signature),
    ...(userHandle && { userHandle: text(userHandle) }),
  });
}

/** Fetches a challenge, lets the authenticator answer it, and sends the answer. */
async function run(path, answer) {
  const challenge = await call('POST', path + '/options', { body: {} });
  if (!challenge.ok) return challenge;
  try {
    return await call('POST', path + (button.dataset.query ?? ''), { body: await answer(challenge.data.options) });
  } catch (error) {
    // The visitor has closed the dialog, or there is no passkey for this shop.
    return { ok: false, message: button.dataset[error.name === 'InvalidStateError' ? 'known' : 'none'] };
  }
}

const WAYS = { new: [API, create], login: [API + '/login', get], join: ['/api/challenge/passkey', get] };

if (button && window.PublicKeyCredential) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    button.disabled = true;
    complain('');
    const answer = await run(...WAYS[button.dataset.passkey]);
    button.disabled = false;
    if (answer.ok) location.assign(button.dataset.next);
    else complain(answer.message);
  });
}
