// Sends files to the admin API with their progress, and the field of a product's picture.
import { bar, h, say } from './dom.js';
import { lang, number, t } from './text.js';
import { field } from './console-ui.js';

/** A way to call the API that tells how much of the body has been sent: progress(share). */
export const upload = (method, path, { body, type, signal, progress }) => new Promise((resolve) => {
  const request = new XMLHttpRequest();
  const settle = () => {
    const data = request.response ?? {};
    resolve({ ok: request.status >= 200 && request.status < 300, status: request.status, data, message: data.message ?? t('error.network') });
  };
  request.open(method, path);
  request.setRequestHeader('Accept', 'application/json');
  request.setRequestHeader('Accept-Language', lang);
  request.setRequestHeader('Content-Type', type);
  request.responseType = 'json';
  request.upload.addEventListener('progress', ({ loaded, total }) => progress(total ? loaded / total : 0));
  request.addEventListener('loadend', settle);
  signal.addEventListener('abort', () => request.abort());
  request.send(body);
});

// The largest picture that the server takes, and the longer side of what the page makes of a larger one.
const MOST_BYTES = 1e6;
const LONGEST_SIDE = 1600;

/** A picture of at most the size that the server takes; null for a file that the browser cannot read as one. */
async function fitting(file) {
  if (file.size <= MOST_BYTES) return file.arrayBuffer().then(() => file, () => null);
  const picture = await createImageBitmap(file).catch(() => null);
  if (!picture) return null;
  const scale = Math.min(1, LONGEST_SIDE / Math.max(picture.width, picture.height));
  const canvas = h('canvas', { width: Math.max(1, Math.round(picture.width * scale)), height: Math.max(1, Math.round(picture.height * scale)) });
  const pen = canvas.getContext('2d');
  // JPEG has no transparency.
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.85));
}

/** The address of a picture with a file that fills it in; sent() settles when no file is on its way: whether all went well. */
export function pictureField({ ask, signal, ...spec }) {
  const base = field(spec);
  const file = field({ name: 'picture', label: t('console.sale.picture'), help: t('console.sale.picture.help'), type: 'file', accept: 'image/png,image/jpeg,image/webp,image/gif' });
  const moved = bar(t('console.import.sending'));
  const step = h('p', { class: 'soft', id: 'picture-step', role: 'status' });
  moved.node.hidden = true;
  base.node.append(file.node, moved.node, step);
  let sending = Promise.resolve(true);
  async function send(chosen) {
    file.refuse('');
    moved.set(0);
    moved.node.hidden = false;
    say(step, t('console.import.sending'));
    const body = await fitting(chosen);
    const progress = (share) => {
      moved.set(share);
      say(step, t('console.sale.picture.sending', { share: number(Math.floor(share * 100)) }));
    };
    const answer = body
      ? await ask('POST', '/pictures', body, { send: upload, type: 'application/octet-stream', signal, progress })
      : { ok: false, message: t('console.sale.picture.unreadable') };
    // A file that was chosen later decides.
    if (file.control.files[0] !== chosen) return sending;
    moved.node.hidden = true;
    say(step, answer.ok ? t('console.sale.picture.done') : '');
    if (!answer.ok) {
      file.refuse(answer.message);
      // Told once; the sale can be saved without it.
      file.control.value = '';
      sending = Promise.resolve(true);
    } else {
      base.control.value = answer.data.image_url;
      base.control.dispatchEvent(new Event('input', { bubbles: true }));
    }
    return answer.ok;
  }
  file.control.addEventListener('change', () => {
    if (file.control.files[0]) sending = send(file.control.files[0]);
  });
  return { ...base, sent: () => sending };
}
