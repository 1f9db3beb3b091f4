// A line over the last 15 minutes: a small SVG, and its last and greatest value as text.
import { h, say } from './dom.js';
import { lang, t } from './text.js';

const WIDTH = 300;
const HEIGHT = 84;
const SPAN = 15 * 60 * 1000;
const plain = new Intl.NumberFormat(lang, { maximumFractionDigits: 1 });
const hour = new Intl.DateTimeFormat(lang, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

function svg(tag, attributes) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** graph(title).set([[ms, value], ...]); the last point is the right edge. */
export function graph(title) {
  const line = svg('polyline', { class: 'line', 'vector-effect': 'non-scaling-stroke' });
  const area = svg('polygon', { class: 'area' });
  const picture = svg('svg', { viewBox: '0 0 ' + WIDTH + ' ' + HEIGHT, preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  picture.append(svg('line', { class: 'base', x1: 0, x2: WIDTH, y1: HEIGHT - .5, y2: HEIGHT - .5 }), area, line);
  const value = h('strong', {}, '\u2013');
  const top = h('span', { class: 'soft' });
  const from = h('span', {});
  const to = h('span', {});
  const node = h('figure', { class: 'graph' },
    h('figcaption', {}, h('span', {}, title), value), picture,
    h('div', { class: 'axis' }, from, top, to));
  return {
    node,
    set(points) {
      if (points.length === 0) return;
      const end = points.at(-1)[0];
      const most = Math.max(...points.map(([, n]) => n));
      const place = ([at, n]) => [WIDTH - (end - at) / SPAN * WIDTH, HEIGHT - 2 - (most > 0 ? n / most : 0) * (HEIGHT - 6)];
      const places = points.map(place);
      const path = places.map(([x, y]) => x.toFixed(1) + ',' + y.toFixed(1)).join(' ');
      line.setAttribute('points', path);
      area.setAttribute('points', places[0][0].toFixed(1) + ',' + HEIGHT + ' ' + path + ' ' + WIDTH + ',' + HEIGHT);
      say(value, t('console.live.rate', { n: plain.format(points.at(-1)[1]) }));
      say(top, t('console.live.most', { n: plain.format(most) }));
      say(from, hour.format(end - SPAN));
      say(to, hour.format(end));
    },
  };
}
