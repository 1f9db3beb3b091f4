const $ = (id) => document.getElementById(id);
const make = (name, cls, text) => {
  const node = document.createElement(name);
  if (cls) node.className = cls;
  if (text !== undefined) node.textContent = text;
  return node;
};
// The page is written in English; these are its texts in Chinese.
const WORDS = [
  ['LINE sandbox', 'LINE 沙盒', 'LINE 沙盒'],
  ['I am', '我是', '我是'],
  ['in a group', '在群組中', '在群组中'],
  ['Message', '訊息', '消息'],
  ['Send', '傳送', '发送'],
  ['Send something else', '傳送其他事件', '发送其他事件'],
  ['Latitude', '緯度', '纬度'],
  ['Longitude', '經度', '经度'],
  ['Location', '位置', '位置'],
  ['Data', '資料', '数据'],
  ['Follow', '加入好友', '加为好友'],
  ['Unfollow', '封鎖', '屏蔽'],
  ['Join group', '加入群組', '加入群组'],
  ['Deliver the last again', '重新傳送上一個事件', '重新发送上一个事件'],
  ['The next answer of the bot meets', '機器人的下一次回覆會遇到', '机器人的下一次回复会遇到'],
  ['500 after it was shown', '顯示後才回 500', '显示后才回 500'],
  ['429, too many at once', '429，短時間內過多', '429，短时间内过多'],
  ['429, the month is used up', '429，本月額度用完', '429，本月额度用完'],
  ['Prepare', '準備', '准备'],
  ['Prepared: it happens to the next answer.', '已準備：下一次回覆時發生。', '已准备：下一次回复时发生。'],
  ['Calls of the bot', '機器人的 API 呼叫', '机器人的 API 调用'],
  ['The bot answered', '機器人已回應', '机器人已响应'],
  ['delivered again', '重新傳送', '重新发送'],
  ['bot', '機器人', '机器人'],
  ['nothing was sent before', '之前沒有傳送任何事件', '之前没有发送任何事件'],
  ['no bot at', '找不到機器人：', '找不到机器人：'],
];
const tag = /^zh/i.test(navigator.language) ? (/hans|cn|sg/i.test(navigator.language) ? 'zh-Hans' : 'zh-Hant') : 'en';
const t = (text) => WORDS.find(([english]) => english === text)?.[['en', 'zh-Hant', 'zh-Hans'].indexOf(tag)] ?? text;
const translate = () => {
  document.documentElement.lang = tag;
  document.title = t(document.title);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.data.trim();
    if (text) texts.currentNode.data = texts.currentNode.data.replace(text, t(text));
  }
  $('text').ariaLabel = t($('text').ariaLabel);
};

const chats = new Map();
let seen = 0;

const post = async (path, body) => {
  const answer = await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  return answer.json();
};

async function send(event) {
  const answer = await post('/sandbox/send', { who: $('who').value, group: $('group').checked, ...event });
  const [problem, ...address] = (answer.problem ?? '').split(/(?= http)/);
  $('status').textContent = problem ? t(problem) + address.join('') : `${t('The bot answered')} ${answer.status} · ${answer.ms} ms`;
  await look();
}

function act(action) {
  switch (action.type) {
    case 'message': return send({ type: 'text', text: action.text });
    case 'postback': return send({ type: 'postback', data: action.data });
    case 'location': return place();
    default: return undefined;
  }
}

const place = () => send({ type: 'location', latitude: Number($('latitude').value), longitude: Number($('longitude').value) });

function button(action) {
  if (action.type === 'uri') {
    const link = make('a', 'open', action.label);
    link.href = action.uri;
    link.target = '_blank';
    link.rel = 'noopener';
    return link;
  }
  const node = make('button', '', action.label);
  node.type = 'button';
  node.addEventListener('click', () => act(action));
  return node;
}

function said(entry) {
  const { event } = entry;
  if (event.type === 'message' && event.message.type === 'text') return event.message.text;
  if (event.type === 'message') return `📍 ${event.message.latitude}, ${event.message.longitude}`;
  if (event.type === 'postback') return `▸ ${event.postback.data}`;
  return `(${event.type})`;
}

function cards(message) {
  const box = make('div', 'cards');
  box.tabIndex = 0;
  for (const column of message.template.columns) {
    const card = make('div', 'card');
    card.append(make('strong', '', column.title), make('span', '', column.text), ...column.actions.map(button));
    box.append(card);
  }
  return box;
}

function show(entry) {
  const item = make('li', entry.kind);
  if (entry.kind === 'you') {
    item.append(make('div', 'bubble', said(entry)));
    item.append(make('span', 'note', entry.who + (entry.again ? ` · ${t('delivered again')}` : '')));
  } else {
    const { message } = entry;
    item.append(message.type === 'text' ? make('div', 'bubble', message.text) : cards(message));
    item.append(make('span', 'note', `${t('bot')} · ${entry.how}`));
  }
  return item;
}

/** The chats of this page are named by the ids the events carry. */
let current = '';
function draw() {
  const entries = chats.get(current) ?? [];
  $('chat').replaceChildren(...entries.map(show));
  const bot = entries.findLast((entry) => entry.kind === 'bot');
  const quick = entries.at(-1) === bot ? bot?.message.quickReply?.items ?? [] : [];
  $('quick').replaceChildren(...quick.map((item) => button(item.action)));
  $('chat').scrollTop = $('chat').scrollHeight;
}

async function look() {
  const { entries } = await (await fetch(`/sandbox/log?after=${seen}`)).json();
  for (const entry of entries) {
    // Two looks under way at once bring the same entries.
    if (entry.n < seen) continue;
    seen = entry.n + 1;
    if (entry.kind === 'call') {
      const line = make('li', entry.status >= 400 ? 'bad' : '', `${entry.status} ${entry.path.replace('/v2/bot/', '')}${entry.retry_key ? ' · key ' + entry.retry_key.slice(0, 8) : ''}`);
      $('calls').prepend(line);
      if (entry.path.endsWith('loading/start') && entry.chat === current) $('typing').hidden = false;
      continue;
    }
    if (entry.kind === 'you' && entry.who === $('who').value) current = entry.chat;
    chats.set(entry.chat, [...(chats.get(entry.chat) ?? []), entry]);
    if (entry.kind === 'bot' && entry.chat === current) $('typing').hidden = true;
  }
  if (entries.length) draw();
}

$('say').addEventListener('submit', (event) => {
  event.preventDefault();
  const text = $('text').value.trim();
  $('text').value = '';
  if (text) send({ type: 'text', text });
});
$('location').addEventListener('click', place);
$('postback').addEventListener('click', () => send({ type: 'postback', data: $('data').value }));
for (const one of document.querySelectorAll('[data-type]')) one.addEventListener('click', () => send({ type: one.dataset.type }));
$('cause').addEventListener('click', async () => {
  await post('/sandbox/trouble', { trouble: $('trouble').value });
  $('status').textContent = t('Prepared: it happens to the next answer.');
});
for (const id of ['who', 'group']) {
  $(id).addEventListener('change', () => {
    // The chat shows once something is said in it.
    current = [...chats].find(([chat, all]) => all.some((e) => e.who === $('who').value) && chat.startsWith($('group').checked ? 'C' : 'U'))?.[0] ?? '';
    draw();
  });
}
translate();
setInterval(look, 500);
await look();
