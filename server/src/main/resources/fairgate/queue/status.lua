#!lua
-- Says where each session stands, and notes that it was seen (at most four times per presence time-out).
-- KEYS  one session per item. The product is known from the session only; its keys are built here and
--       lie in the same slot.
-- ARGV  1 and 2: what stands before and after a product id inside a key name
-- Reply per item: 'UNKNOWN' | status, product, position in waiting, position in active, total waiting,
--       total active, ms per turn or -1, ready at, time-out at, sale state, stock, turns ahead, now,
--       token required, ended, order, device, epoch, window ms, presence ms: joined by '|'
local call, format = redis.call, string.format
local t = call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local nowText, products = format('%d', now), {}

-- What all sessions of a product share is read once and put into words once.
local function product(id)
  local tag = ARGV[1] .. id .. ARGV[2]
  local sale = call('HMGET', 'event:' .. tag .. ':sale', 'state', 'opens_at', 'closes_at',
    'turn_ms', 'presence_ms', 'token', 'epoch', 'window_ms')
  local p = { waiting = 'queue:waiting:product:' .. tag, active = 'queue:active:product:' .. tag }
  local waitingTotal, activeTotal = call('ZCARD', p.waiting), call('ZCARD', p.active)
  p.readyTotal = call('ZCARD', 'queue:ready:product:' .. tag)
  p.beforeWaiting = activeTotal - p.readyTotal
  local opens, closes = tonumber(sale[2] or '0'), tonumber(sale[3] or '0')
  p.state = sale[1] or 'unknown'
  if p.state == 'scheduled' and opens > 0 and now >= opens then p.state = 'open' end
  if p.state ~= 'unknown' and closes > 0 and now >= closes then p.state = 'closed' end
  p.presence = tonumber(sale[5] or '0')
  p.totals = format('|%d|%d|%s|', waitingTotal, activeTotal, sale[4] or '-1')
  p.sale = '|' .. p.state .. '|' .. (call('GET', 'product:stock:' .. tag) or '0') .. '|'
  p.clock = '|' .. nowText .. '|' .. (sale[6] or '0') .. '|'
  p.tail = '|' .. (sale[7] or '0') .. '|' .. (sale[8] or '0') .. '|' .. (sale[5] or '0')
  products[id] = p
  return p
end

local function status(key)
  local s = call('HMGET', key, 'queue_status', 'product_id', 'device', 'seen')
  local state, id = s[1], s[2]
  if not state or not id then return 'UNKNOWN' end
  local p, sid = products[id] or product(id), string.sub(key, -36)
  local inWaiting, inActive, ahead, rest = '-1', '-1', 0, { '0', '0', '', '' }
  if state ~= 'waiting' then
    rest = call('HMGET', key, 'purchase_ready_at', 'purchase_timeout_at', 'ended', 'order')
  end
  local ended = rest[3] or ''
  if state == 'waiting' then
    local rank = call('ZRANK', p.waiting, sid)
    if rank then inWaiting, ahead = format('%d', rank), rank + p.beforeWaiting else state, ended = 'expired', 'lost' end
  elseif state == 'active' or state == 'ready_to_purchase' then
    local rank = call('ZRANK', p.active, sid)
    ahead = math.max(0, (rank or -1) - p.readyTotal)
    local late = state == 'ready_to_purchase' and p.state == 'open' and tonumber(rest[2] or '0') <= now
    if rank then inActive = format('%d', rank) else state, ended = 'expired', 'lost' end
    if late then state, ended, inActive = 'expired', 'window', '-1' end
  end
  local live = state == 'waiting' or state == 'active' or state == 'ready_to_purchase'
  if live and p.state == 'closed' then
    state, ended, inWaiting, inActive = 'expired', 'closed', '-1', '-1'
  elseif live and p.presence > 0 and now - tonumber(s[4] or '0') > p.presence / 4 then
    call('HSET', key, 'seen', nowText)
  end
  return state .. '|' .. id .. '|' .. inWaiting .. '|' .. inActive .. p.totals .. (rest[1] or '0') .. '|'
    .. (rest[2] or '0') .. p.sale .. format('%d', ahead) .. p.clock .. ended .. '|' .. (rest[4] or '') .. '|'
    .. (s[3] or '') .. p.tail
end

local replies = {}
for i = 1, #KEYS do
  local ok, reply = pcall(status, KEYS[i])
  replies[i] = ok and reply or ('FAULT ' .. tostring(reply))
end
return replies
