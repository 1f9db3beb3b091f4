// Solves a proof of work (ALTCHA v2, random mode) with a few workers, or in the page itself in
// small steps where there are none.
import { search } from './altcha-worker.js';

const MOST_WORKERS = 4;

/**
 * Solves a challenge ({parameters, signature}) and resolves to the token join wants.
 * onProgress(0..1): how probable it was to be done by now. It never reaches 1 before the end.
 * signal: an AbortSignal; the promise then rejects with its reason.
 */
export async function solve(challenge, { onProgress = () => {}, signal } = {}) {
  signal?.throwIfAborted();
  const began = performance.now();
  const expected = 16 ** challenge.parameters.keyPrefix.length;
  let tries = 0;
  const progress = (more) => {
    tries += more;
    onProgress(1 - Math.exp(-tries / expected));
  };
  const run = typeof Worker === 'undefined' ? inPage : inWorkers;
  const solution = await run(challenge.parameters, progress, signal);
  onProgress(1);
  const time = Math.round(performance.now() - began);
  return btoa(JSON.stringify({ challenge, solution: { ...solution, time } }));
}

async function inWorkers(parameters, progress, signal) {
  const count = Math.max(1, Math.min(MOST_WORKERS, navigator.hardwareConcurrency || 2));
  const workers = [];
  let abort;
  try {
    return await new Promise((resolve, reject) => {
      abort = () => reject(signal.reason);
      signal?.addEventListener('abort', abort);
      for (let start = 0; start < count; start++) {
        const worker = new Worker(new URL('./altcha-worker.js', import.meta.url), { type: 'module' });
        workers.push(worker);
        worker.onmessage = ({ data }) => {
          progress(data.tries);
          if (data.solution) resolve(data.solution);
        };
        // A browser may know workers and refuse them, or module workers, or this one's counters end.
        worker.onerror = (event) => {
          event.preventDefault();
          reject(new WorkersFailed());
        };
        worker.postMessage({ parameters, start, step: count });
      }
    });
  } catch (error) {
    if (signal?.aborted || !(error instanceof WorkersFailed || error.name === 'SecurityError')) throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
    workers.forEach((worker) => worker.terminate());
  }
  return inPage(parameters, progress, signal);
}

class WorkersFailed extends Error {}

async function inPage(parameters, progress, signal) {
  const more = search(parameters, 0, 1);
  for (;;) {
    const { solution, tries } = more(12);
    progress(tries);
    if (solution) return solution;
    await new Promise((resolve) => setTimeout(resolve));
    signal?.throwIfAborted();
  }
}
