#!lua
-- Says where each session stands, and notes that it was seen (at most four times per presence time-out).
-- KEYS  one session per item. The product is known from the session only; its keys are built here and
--       lie in the same slot.
-- ARGV  1 and 2: what stands before and after a product id inside a key name; then one session id per item
-- Reply per item: 'UNKNOWN' | status, product, position in waiting, position in active, total waiting,
--       total active, ms per turn or -1, ready at, time-out at, sale state, stock, turns ahead, now,
--       token required, ended, order, device, epoch, window ms: joined by '|'
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local products = {}

local function product(id)
  local p = products[id]
  if p then return p end
  local tag = ARGV[1] .. id .. ARGV[2]
  local sale = redis.call('HMGET', 'event:' .. tag .. ':sale', 'state', 'opens_at', 'closes_at',
    'turn_ms', 'presence_ms', 'token', 'epoch', 'window_ms')
  p = { waiting = 'queue:waiting:product:' .. tag, active = 'queue:active:product:' .. tag }
  p.waitingTotal = redis.call('ZCARD', p.waiting)
  p.activeTotal = redis.call('ZCARD', p.active)
  p.readyTotal = redis.call('ZCARD', 'queue:ready:product:' .. tag)
  p.stock = tonumber(redis.call('GET', 'product:stock:' .. tag) or '0')
  local opens, closes = tonumber(sale[2] or '0'), tonumber(sale[3] or '0')
  p.state = sale[1] or 'unknown'
  if p.state == 'scheduled' and opens > 0 and now >= opens then p.state = 'open' end
  if p.state ~= 'unknown' and closes > 0 and now >= closes then p.state = 'closed' end
  p.turn, p.presence = sale[4] or '-1', tonumber(sale[5] or '0')
  p.token, p.epoch, p.window = sale[6] or '0', sale[7] or '0', sale[8] or '0'
  products[id] = p
  return p
end

local function status(key, sid)
  local s = redis.call('HMGET', key, 'queue_status', 'product_id', 'purchase_ready_at',
    'purchase_timeout_at', 'seen', 'ended', 'order', 'device')
  local state, id = s[1], s[2]
  if not state or not id then return 'UNKNOWN' end
  local p = product(id)
  local inWaiting, inActive, ahead, ended = -1, -1, 0, s[6] or ''
  if state == 'waiting' then
    inWaiting = redis.call('ZRANK', p.waiting, sid) or -1
    ahead = inWaiting + p.activeTotal - p.readyTotal
    if inWaiting < 0 then state, ended = 'expired', 'lost' end
  elseif state == 'active' or state == 'ready_to_purchase' then
    inActive = redis.call('ZRANK', p.active, sid) or -1
    ahead = math.max(0, inActive - p.readyTotal)
    local late = state == 'ready_to_purchase' and p.state == 'open' and tonumber(s[4] or '0') <= now
    if inActive < 0 then state, ended = 'expired', 'lost' end
    if late then state, ended, inActive = 'expired', 'window', -1 end
  end
  local live = state == 'waiting' or state == 'active' or state == 'ready_to_purchase'
  if live and p.state == 'closed' then
    state, ended, inWaiting, inActive = 'expired', 'closed', -1, -1
  elseif live and p.presence > 0 and now - tonumber(s[5] or '0') > p.presence / 4 then
    redis.call('HSET', key, 'seen', now)
  end
  return table.concat({ state, id, inWaiting, inActive, p.waitingTotal, p.activeTotal, p.turn,
    s[3] or '0', s[4] or '0', p.state, p.stock, ahead, string.format('%.0f', now), p.token, ended,
    s[7] or '', s[8] or '', p.epoch, p.window }, '|')
end

local replies = {}
for i = 1, #KEYS do
  local ok, reply = pcall(status, KEYS[i], ARGV[2 + i])
  replies[i] = ok and reply or ('FAULT ' .. tostring(reply))
end
return replies
