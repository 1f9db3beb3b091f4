// Clicks a day as bars: a small SVG and the same numbers as a table for those who cannot see it.
import { h } from './dom.js';

const DAY = 86400000;
const WIDEST = 600;
const HEIGHT = 160;
const FOOT = 18;

function svg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** The next round number: 1, 2, 5, 10, 20, ... */
function ceiling(n) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, n)));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= n);
}

/** The date of now in the zone, as midnight UTC. */
function todayIn(zone) {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, year: 'numeric', month: 'numeric', day: 'numeric' });
  const part = Object.fromEntries(format.formatToParts().map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(part.year, part.month - 1, part.day);
}

/**
 * @param series [{day, clicks, bots}], days without clicks left out; shows the last 30 days.
 * @param zone the time zone whose days they are
 */
export function chart(series, lang, words, zone = 'UTC') {
  const byDay = new Map(series.map((bar) => [Math.floor(Date.parse(bar.day) / DAY), bar]));
  const today = Math.floor(todayIn(zone) / DAY);
  const days = Array.from({ length: 30 }, (_, i) => ({ ...byDay.get(today - 29 + i), day: today - 29 + i }));
  const top = ceiling(Math.max(1, ...days.map((d) => (d.clicks ?? 0) + (d.bots ?? 0))));
  const format = new Intl.DateTimeFormat(lang, { month: 'short', day: 'numeric', timeZone: 'UTC' });
  // About as wide as it will be shown: letters are stretched with the rest.
  const wide = Math.min(WIDEST, Math.max(240, innerWidth - 84));
  const step = wide / days.length;
  const high = (n) => (n / top) * (HEIGHT - FOOT - 8);
  const bars = days.map((d, i) => {
    const people = high(d.clicks ?? 0);
    const bots = high(d.bots ?? 0);
    const x = (i * step + 2).toFixed(1);
    const width = (step - 4).toFixed(1);
    return svg('g', {},
      svg('title', {}, format.format(d.day * DAY) + ': ' + words.people + ' ' + (d.clicks ?? 0) + ', ' + words.bots + ' ' + (d.bots ?? 0)),
      svg('rect', { class: 'hit', x: i * step, y: 0, width: step, height: HEIGHT - FOOT }),
      svg('rect', { class: 'people', x, width, y: HEIGHT - FOOT - people, height: people, rx: 2 }),
      svg('rect', { class: 'bots', x, width, y: HEIGHT - FOOT - people - bots, height: bots, rx: 2 }));
  });
  const grid = [top, top / 2].filter(Number.isInteger).map((n) => svg('g', { class: 'grid' },
    svg('line', { x1: 0, x2: wide, y1: HEIGHT - FOOT - high(n), y2: HEIGHT - FOOT - high(n) }),
    svg('text', { x: 2, y: HEIGHT - FOOT - high(n) + 12 }, new Intl.NumberFormat(lang).format(n))));
  const ends = [0, 10, 20, 29].map((i) => svg('text', {
    x: i * step + step / 2, y: HEIGHT - 4, 'text-anchor': i === 0 ? 'start' : i === 29 ? 'end' : 'middle',
  }, format.format(days[i].day * DAY)));
  const table = h('table', { class: 'unseen' }, h('caption', {}, words.title),
    h('tr', {}, h('th', { scope: 'col' }, zone), h('th', { scope: 'col' }, words.people), h('th', { scope: 'col' }, words.bots)),
    days.filter((d) => d.at).map((d) => h('tr', {}, h('td', {}, format.format(d.day * DAY)), h('td', {}, String(d.clicks)), h('td', {}, String(d.bots)))));
  return h('figure', { class: 'chart' },
    h('figcaption', { class: 'label' }, words.title),
    svg('svg', { viewBox: '0 0 ' + wide + ' ' + HEIGHT, 'aria-hidden': 'true', preserveAspectRatio: 'none' }, ...grid, ...bars, ...ends),
    table);
}
