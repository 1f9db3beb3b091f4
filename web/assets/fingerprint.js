// A hash of properties of this browser, for shops that have switched that on. The properties stay here.
import { digest } from './device-key.js';

const FONTS = [
  'Arial', 'Arial Black', 'Calibri', 'Cambria', 'Comic Sans MS', 'Consolas', 'Courier New', 'Georgia', 'Gill Sans',
  'Helvetica Neue', 'Impact', 'Lucida Console', 'Menlo', 'Microsoft JhengHei', 'Microsoft YaHei', 'Noto Sans CJK TC',
  'PingFang TC', 'PMingLiU', 'Roboto', 'Segoe UI', 'SimSun', 'Tahoma', 'Times New Roman', 'Ubuntu', 'Verdana',
];

function canvas() {
  const { context, element } = surface();
  context.textBaseline = 'top';
  context.font = '16px Arial, sans-serif';
  context.fillStyle = '#f60';
  context.fillRect(100, 1, 60, 20);
  context.fillStyle = '#069';
  context.fillText('Fairgate \u5165\u5834 \u{1f3ab}', 2, 2);
  context.fillStyle = 'rgba(80, 200, 0, 0.6)';
  context.fillText('Fairgate \u5165\u5834 \u{1f3ab}', 4, 6);
  return element.toDataURL();
}

/* A font is installed when text in it is not as wide as in the fallback. */
function fonts() {
  const { context } = surface();
  const width = (family) => {
    context.font = '40px ' + family;
    return context.measureText('mmMwWLliI0O&1 \u5165\u5834').width;
  };
  return FONTS.filter((name) => ['monospace', 'serif'].some((base) => width('"' + name + '", ' + base) !== width(base)));
}

function surface() {
  const element = document.createElement('canvas');
  element.width = 200;
  element.height = 32;
  return { element, context: element.getContext('2d') };
}

/** The header with the fingerprint; no header where it cannot be computed. */
export async function fingerprint() {
  try {
    const { userAgent, hardwareConcurrency, maxTouchPoints, languages, webdriver } = navigator;
    const { width, height, colorDepth } = screen;
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const all = [canvas(), fonts(), width, height, colorDepth, devicePixelRatio, userAgent, hardwareConcurrency, maxTouchPoints, languages, zone];
    return { 'Browser-Fingerprint': '1.' + (await digest(JSON.stringify(all))) + '.' + (webdriver ? 1 : 0) };
  } catch {
    return {};
  }
}
