// Runs checks in a worker, so that the page stays responsive; without workers, in the page itself.
import { Check } from './check.js';
import { BUNDLE_SECONDS, download, TarFiles, WebFiles } from './files.js';
import { Refused } from './note.js';
import { RoomCheck } from './room.js';

const PROGRESS_MS = 50;
const ROOM = /\/q\/([a-z0-9-]{1,40})\/?$/;

/** Answers one request of the page: { light, file or address, receipt, chains, ticket }. */
export async function answer({ light, file, address, receipt, chains, ticket }, post) {
  let last = 0;
  const progress = (name, done, total) => {
    const now = Date.now();
    if (now - last < PROGRESS_MS) return;
    last = now;
    post({ progress: { name, done, total } });
  };
  const room = file ? null : ROOM.exec(address);
  if (room) return post({ found: await new RoomCheck(new WebFiles(address), { room: room[1], ticket, chains }, progress).verdict() });
  let files;
  try {
    if (file) files = new TarFiles(file);
    else if (light) files = new WebFiles(address);
    else files = new TarFiles(await download(address.replace(/\/+$/, '') + '/bundle.tar', progress, BUNDLE_SECONDS));
  } catch (e) {
    const code = e instanceof Refused ? e.code : 'malformed_bundle';
    post({ found: { code, detail: e instanceof Refused ? e.detail : 'defect: ' + e, stage: '', warnings: [] } });
    return;
  }
  const options = { receipt: receipt && new Uint8Array(receipt), chains };
  post({ found: await new Check(files, options, progress).verdict(light) });
}

/** A function that runs one check after the other; `source` is the text of this very script. */
export function checker(source) {
  let worker = null;
  try {
    worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
  } catch {
    worker = null;
  }
  let queue = Promise.resolve();
  const run = (request, onProgress) => new Promise((resolve) => {
    const take = (message) => (message.progress ? onProgress(message.progress) : resolve(message.found));
    if (!worker) {
      answer(request, take);
      return;
    }
    worker.onmessage = ({ data }) => take(data);
    worker.onerror = () => {
      worker = null;
      answer(request, take);
    };
    worker.postMessage(request);
  });
  return (request, onProgress) => (queue = queue.then(() => run(request, onProgress)));
}
