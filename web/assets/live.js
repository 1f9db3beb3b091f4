// Keeps one place up to date: Server-Sent Events while they work, polling otherwise.
// Over HTTP/1.1 a browser has six connections to a server. So its tabs share one stream, in the tab that was shown last, whose timers
// slow down when it is hidden. The others poll.
import { backOff, call } from './api.js';

/** Follows a session until stop(): onStatus(status), onGone() when it is unknown, onBanned(answer), onLink('live' | 'poll' | 'lost' | 'offline'). */
export function follow(session, { onStatus, onGone, onBanned, onLink }) {
  let stream = null;
  let timer = 0;
  let retry = 0;
  let failures = 0;
  let streamFailures = 0;
  let stopped = false;
  let busy = false;
  let link = '';
  let pause = 2000;
  let latest = 0;
  let last = null;
  // Ends the lock of this tab, which allows the stream; without locks every visible tab has one.
  let release = null;
  let lockless = false;
  const asked = {};

  const tell = (state) => {
    if (state !== link) onLink((link = state));
  };
  const later = (ms) => {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(refresh, ms);
  };
  // The next poll beside a stream, which may be dead while a turn runs down.
  const safety = () => (last?.queue_status === 'ready_to_purchase' ? 8000 : 30000);
  const closeStream = () => {
    stream?.close();
    stream = null;
  };

  function take(status) {
    if (stopped) return;
    failures = 0;
    // Stream and poll overtake each other.
    const behind = latest - status.server_time;
    if (behind > 0 && behind < 10000) return;
    latest = status.server_time;
    pause = Math.min(30000, Math.max(50, status.poll_after_ms || 2000));
    tell(stream?.readyState === EventSource.OPEN ? 'live' : 'poll');
    last = status;
    onStatus(status);
  }

  async function refresh() {
    if (stopped || busy) return;
    busy = true;
    const answer = await call('GET', '/api/queue/status', { session });
    busy = false;
    if (stopped) return;
    if (answer.ok) {
      take(answer.data);
      // With a stream the poll is a safety net and a sign of life.
      later(stream?.readyState === EventSource.OPEN ? safety() : pause * (1 + Math.random() * 0.2));
    } else if (answer.status === 404) {
      stop();
      onGone();
    } else if (answer.code === 'CLIENT_BANNED') {
      onBanned(answer);
      later(30000);
    } else {
      tell(navigator.onLine ? 'lost' : 'offline');
      later(backOff(failures++, answer.retryAfter));
    }
  }

  async function claim(steal) {
    if (stopped || asked[steal]) return;
    asked[steal] = true;
    let held = null;
    try {
      await navigator.locks.request('fairgate.stream', { steal }, () => {
        asked[steal] = false;
        return stopped ? null : new Promise((resolve) => {
          release = held = resolve;
          open();
        });
      });
    } catch {
      // A newer lock of this tab took this one.
      if (held !== release) return;
      lockless = !held;
      release = null;
      if (lockless) return open();
      closeStream();
      refresh();
      claim(false);
    }
  }

  function open() {
    clearTimeout(retry);
    const allowed = release || (lockless && !document.hidden);
    if (stopped || stream || !allowed || !('EventSource' in window)) return;
    stream = new EventSource('/api/queue/stream?session_id=' + session, { withCredentials: true });
    stream.onopen = () => failures === 0 && link && tell('live');
    stream.addEventListener('status', (event) => {
      streamFailures = 0;
      try {
        take(JSON.parse(event.data));
        later(safety());
      } catch {
        refresh();
      }
    });
    // What the operators tell all who wait.
    stream.addEventListener('notice', (event) => {
      if (!stopped && last) onStatus((last = { ...last, notice: JSON.parse(event.data) }));
    });
    stream.onerror = () => {
      closeStream();
      refresh();
      retry = setTimeout(open, 2000 + backOff(Math.min(6, ++streamFailures)));
    };
  }

  const awake = () => {
    if (document.hidden) {
      if (release || !stream) return;
      closeStream();
      return refresh();
    }
    failures = 0;
    streamFailures = 0;
    refresh();
    if (release || lockless) open();
    else claim(true);
  };
  const offline = () => tell('offline');
  const events = [[window, 'online', awake], [window, 'offline', offline], [window, 'pageshow', awake], [document, 'visibilitychange', awake]];

  function stop() {
    stopped = true;
    clearTimeout(timer);
    clearTimeout(retry);
    closeStream();
    release?.();
    for (const [target, name, handler] of events) target.removeEventListener(name, handler);
  }

  for (const [target, name, handler] of events) target.addEventListener(name, handler);
  refresh();
  claim(!document.hidden);
  return { refresh, stop };
}
