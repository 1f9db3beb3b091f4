const $ = (id) => document.getElementById(id);
const make = (name, cls, text) => {
  const node = document.createElement(name);
  if (cls) node.className = cls;
  if (text !== undefined) node.textContent = text;
  return node;
};
const chats = new Map();
let seen = 0;

const post = async (path, body) => {
  const answer = await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  return answer.json();
};

async function send(event) {
  const answer = await post('/sandbox/send', { who: $('who').value, group: $('group').checked, ...event });
  $('status').textContent = answer.problem ?? `The bot answered ${answer.status} in ${answer.ms} ms.`;
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
    item.append(make('span', 'note', entry.who + (entry.again ? ' · delivered again' : '')));
  } else {
    const { message } = entry;
    item.append(message.type === 'text' ? make('div', 'bubble', message.text) : cards(message));
    item.append(make('span', 'note', `bot · ${entry.how}`));
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
  $('status').textContent = 'Prepared: it happens to the next answer.';
});
for (const id of ['who', 'group']) {
  $(id).addEventListener('change', () => {
    // The chat shows once something is said in it.
    current = [...chats].find(([chat, all]) => all.some((e) => e.who === $('who').value) && chat.startsWith($('group').checked ? 'C' : 'U'))?.[0] ?? '';
    draw();
  });
}
setInterval(look, 500);
await look();
