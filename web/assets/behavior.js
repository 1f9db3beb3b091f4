// How the page is used before the join, as numbers: no positions, no keys, nothing of a person.

const SHORTEST = 4; // pixels of a move
const PAUSE = 250; // ms

/** The number of events, the mean of their intervals in ms, and their standard deviation in percent of it. */
function rhythm() {
  let count = 0;
  let last = 0;
  let mean = 0;
  let squares = 0;
  return {
    beat({ timeStamp }) {
      if (count++) {
        // Welford's algorithm.
        const delta = timeStamp - last - mean;
        mean += delta / (count - 1);
        squares += delta * (timeStamp - last - mean);
      }
      last = timeStamp;
    },
    numbers: () => [count, mean, mean && (100 * Math.sqrt(squares / (count - 1))) / mean],
  };
}

const presses = rhythm();
const keys = rhythm();
const directions = new Array(8).fill(0);
let moves = 0;
let path = 0;
let chords = 0; // of the strokes before
let pauses = 0;
let focus = 0;
let stroke = null; // the first point of this stroke
let point = null;

const distance = (a, b) => Math.hypot(b.clientX - a.clientX, b.clientY - a.clientY);

function move({ clientX, clientY }, timeStamp) {
  const next = { clientX, clientY, timeStamp };
  if (!point || timeStamp - point.timeStamp > PAUSE) {
    if (point) {
      pauses++;
      chords += distance(stroke, point);
    }
    stroke = point = next;
    return;
  }
  const length = distance(point, next);
  if (length < SHORTEST) return;
  const turn = Math.atan2(clientY - point.clientY, clientX - point.clientX) / (2 * Math.PI);
  directions[Math.round(8 * turn + 8) % 8]++;
  moves++;
  path += length;
  point = next;
}

/** Percent of the highest entropy, log2(8). */
function entropy() {
  const bits = directions.filter(Boolean).map((n) => (n / moves) * Math.log2(moves / n));
  return (100 * bits.reduce((sum, one) => sum + one, 0)) / 3;
}

const passive = { passive: true };
addEventListener('pointermove', (event) => event.pointerType === 'touch' || move(event, event.timeStamp), passive);
addEventListener('touchmove', (event) => move(event.touches[0], event.timeStamp), passive);
addEventListener('pointerdown', presses.beat, passive);
addEventListener('keydown', (event) => event.repeat || keys.beat(event), passive);
for (const name of ['focus', 'blur']) addEventListener(name, () => focus++);

const whole = (value, most) => Math.min(Math.floor(value) || 0, most);

/** The numbers so far. The server ignores all of them when one is out of range. */
export function numbers() {
  const [pressCount, press, pressSpread] = presses.numbers();
  const [keyCount, key, keySpread] = keys.numbers();
  const straight = path && (100 * (chords + distance(stroke, point))) / path;
  return {
    page_ms: whole(performance.now(), 86400000),
    moves: whole(moves, 9999),
    path: whole(path, 999999),
    entropy: whole(entropy(), 100),
    // Sums of rounded pixels: a straight line has 99.99.
    straight: whole(straight + 0.01, 100),
    pauses: whole(pauses, 999),
    focus: whole(focus, 999),
    keys: whole(keyCount, 999),
    key_ms: whole(key, 60000),
    key_spread: whole(keySpread, 999),
    presses: whole(pressCount, 999),
    press_ms: whole(press, 60000),
    press_spread: whole(pressSpread, 999),
  };
}
