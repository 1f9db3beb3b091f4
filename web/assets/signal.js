// Calls the visitor when it is his turn: title, icon, sound, vibration, notification, screen kept on.
import { local } from './store.js';
import { assets, page, t } from './text.js';

let title = document.title;
let audio = null;
let flashing = 0;
let lock = null;

export const sound = {
  on: local.getItem('fairgate.sound') !== 'off',
  toggle() {
    sound.on = !sound.on;
    local.setItem('fairgate.sound', sound.on ? 'on' : 'off');
    if (sound.on) chime(0.12);
  },
};

/** Browsers allow sound only after a touch or a key: called from every button that starts waiting. */
export function unlock() {
  const Audio = window.AudioContext ?? window.webkitAudioContext;
  audio ??= Audio ? new Audio() : null;
  audio?.resume().catch(() => {});
}

/** Two soft bells, a fifth apart. */
function chime(volume = 0.3) {
  if (!sound.on) return;
  unlock();
  if (audio?.state !== 'running') return;
  [[587.33, 0], [880, 0.18], [1174.66, 0.36]].forEach(([pitch, delay]) => {
    const start = audio.currentTime + delay;
    const tone = audio.createOscillator();
    const gain = audio.createGain();
    tone.frequency.value = pitch;
    gain.gain.setValueAtTime(0, start);
    gain.gain.linearRampToValueAtTime(volume, start + 0.02);
    gain.gain.exponentialRampToValueAtTime(0.001, start + 1.2);
    tone.connect(gain).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 1.3);
  });
}

export const notify = {
  get state() {
    return 'Notification' in window && window.isSecureContext ? Notification.permission : 'absent';
  },
  ask: () => Notification.requestPermission(),
};

export const screen = {
  get possible() {
    return 'wakeLock' in navigator;
  },
  get on() {
    return lock !== null;
  },
  async toggle() {
    if (lock) {
      await lock.release();
      lock = null;
    } else {
      lock = await navigator.wakeLock.request('screen').catch(() => null);
    }
  },
};
// The lock ends with a hidden page.
document.addEventListener('visibilitychange', async () => {
  if (lock && document.visibilityState === 'visible') lock = await navigator.wakeLock.request('screen').catch(() => null);
});

/** What the tab says while it does not call. */
export function entitle(text) {
  title = text;
  if (!flashing && document.title !== text) document.title = text;
}

function favicon(name) {
  document.querySelector('link[rel=icon]').href = assets + '/' + name;
}

/** Starts the call; loud = the moment the turn begins, not a reload during it. */
export function start(loud) {
  if (flashing) return;
  let rounds = 0;
  favicon('icon-ready.svg');
  flashing = setInterval(() => {
    document.title = rounds % 2 ? title : '\u25CF ' + t('ready.flash');
    rounds += 1;
    if (loud && document.hidden && rounds % 5 === 0 && rounds < 30) chime();
  }, 1000);
  document.title = '\u25CF ' + t('ready.flash');
  if (!loud) return;
  chime();
  navigator.vibrate?.([250, 120, 250]);
  if (document.hidden && notify.state === 'granted') {
    try {
      const note = new Notification(t('ready.title'), { body: page.name, icon: assets + '/icon.svg', tag: 'fairgate-' + page.product.id, requireInteraction: true });
      note.onclick = () => (window.focus(), note.close());
    } catch {
      // Android wants a service worker for this; sound and vibration remain.
    }
  }
}

export function stop() {
  if (!flashing) return;
  clearInterval(flashing);
  flashing = 0;
  document.title = title;
  favicon('icon.svg');
}
