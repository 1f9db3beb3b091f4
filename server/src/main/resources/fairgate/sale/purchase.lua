#!lua
-- The whole edge from a ready place to a reservation. A refused item, or a shared key of a wrong type, changes nothing.
-- KEYS  1 sale  2 stock  3 active  4 ready  5 purchases  6 pending  7 devices  8 outbox, then per item: 1 session
--       2 lock  3 order  4 token or sale  5 idempotency or sale. Counters of user and device are built here, same slot.
-- ARGV  1 prefix of event keys  2 of order keys  3 life of idempotency keys, s  4 product, then per item:
--       1 session  2 order  3 quantity  4 token or ''  5 its expiry, ms  6 its epoch  7 fingerprint or ''
-- Reply per item: 'RESERVED|' or 'REPLAYED|' order|quantity|amount|currency|status|pay_by|remaining, or
--       CONFLICT UNKNOWN BOUGHT|order CLOSED NOT_OPEN NOT_IN_QUEUE NOT_IN_ACTIVE NOT_READY TIMEOUT
--       BAD_TOKEN QUANTITY|most LIMIT SOLD_OUT
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local sale = redis.call('HMGET', KEYS[1], 'state', 'opens_at', 'closes_at', 'max_quantity', 'max_user',
  'max_device', 'token', 'payment', 'payment_ms', 'price', 'currency', 'epoch', 'seq', 'held', 'confirmed')
local state, opens, closes = sale[1], tonumber(sale[2] or '0'), tonumber(sale[3] or '0')
if state == 'scheduled' and opens > 0 and now >= opens then state = 'open' end
if state and closes > 0 and now >= closes then state = 'closed' end
local stock, sold, replies = tonumber(redis.call('GET', KEYS[2]) or '0'), 0, {}
for i, read in ipairs({ 'ZCARD', 'ZCARD', 'SCARD', 'ZCARD', 'HLEN', 'XLEN' }) do redis.call(read, KEYS[i + 2]) end
local seq, held, confirmed = tonumber(sale[13] or '0'), tonumber(sale[14] or '0'), tonumber(sale[15] or '0')
local function refusal(k, a, s, quantity, counters)
  if not s[1] or not state then return 'UNKNOWN' end
  if s[2] ~= ARGV[4] then return 'NOT_IN_QUEUE' end
  if s[1] == 'purchased' then return 'BOUGHT|' .. s[7] end
  if state == 'closed' then return 'CLOSED' end
  if s[1] == 'expired' then return s[6] == 'window' and 'TIMEOUT' or 'NOT_IN_QUEUE' end
  if state ~= 'open' then return 'NOT_OPEN' end
  if s[1] ~= 'ready_to_purchase' then return s[1] == 'waiting' and 'NOT_IN_ACTIVE' or 'NOT_READY' end
  if tonumber(s[3]) <= now then return 'TIMEOUT' end
  if sale[7] == '1' then
    local token = ARGV[a + 4] ~= '' and redis.call('HMGET', KEYS[k + 4], 'session', 'used') or {}
    local fresh = tonumber(ARGV[a + 5]) > now and ARGV[a + 6] == sale[12]
    if not fresh or token[1] ~= ARGV[a + 1] or token[2] ~= '0' then return 'BAD_TOKEN' end
  end
  if quantity > tonumber(sale[4]) then return 'QUANTITY|' .. sale[4] end
  for i, most in ipairs({ tonumber(sale[5]), tonumber(sale[6]) }) do
    local had = tonumber(redis.call('GET', counters[i]) or '0')
    if most > 0 and had + quantity > most then return 'LIMIT' end
  end
  return stock < quantity and 'SOLD_OUT'
end
local function purchase(k, a)
  local sid, oid, quantity, print = ARGV[a + 1], ARGV[a + 2], tonumber(ARGV[a + 3]), ARGV[a + 7]
  local id, was = string.match(print ~= '' and redis.call('GET', KEYS[k + 5]) or '', '^(%S+) (.+)$')
  if id then
    local facts = redis.call('HMGET', ARGV[2] .. id, 'quantity', 'amount', 'currency', 'first', 'pay_by', 'remaining')
    return was ~= print and 'CONFLICT' or 'REPLAYED|' .. id .. '|' .. table.concat(facts, '|')
  end
  local s = redis.call('HMGET', KEYS[k + 1], 'queue_status', 'product_id', 'purchase_timeout_at', 'device',
    'user', 'ended', 'order')
  local device, user = s[4] or '', s[5] or s[4] or ''
  local counters = { ARGV[1] .. ':user:' .. user .. ':bought', ARGV[1] .. ':fp:' .. device .. ':bought' }
  local no = refusal(k, a, s, quantity, counters)
  if no then return no end
  local pays, status, due = sale[8] == '1', 'paid', 0
  if pays then status, due = 'pending', now + tonumber(sale[9]) end
  local amount = string.format('%.0f', sale[10] * quantity)
  local o = { 'session', sid, 'user', user, 'device', device, 'quantity', quantity, 'amount', amount, 'currency',
    sale[11], 'status', status, 'version', 1, 'pay_by', due }
  redis.call('HSET', KEYS[k + 3], 'product_id', ARGV[4], 'first', status, 'created_at', now, 'updated_at', now,
    'remaining', stock - quantity, unpack(o))
  stock, seq, sold = redis.call('DECRBY', KEYS[2], quantity), seq + 1, sold + quantity
  if pays then held = held + quantity else confirmed = confirmed + quantity end
  for i = 1, 2 do redis.call('INCRBY', counters[i], quantity) end
  if sale[7] == '1' then redis.call('HSET', KEYS[k + 4], 'used', '1') end
  if pays then redis.call('ZADD', KEYS[6], due, oid) end
  if print ~= '' then redis.call('SET', KEYS[k + 5], oid .. ' ' .. print, 'EX', ARGV[3]) end
  redis.call('SADD', KEYS[5], sid)
  for i = 3, 4 do redis.call('ZREM', KEYS[i], sid) end
  redis.call('DEL', KEYS[k + 2])
  redis.call('HSET', KEYS[k + 1], 'queue_status', 'purchased', 'order', oid, 'queue_position_active', '-1')
  if redis.call('HGET', KEYS[7], device) == sid then redis.call('HDEL', KEYS[7], device) end
  redis.call('XADD', KEYS[8], '*', 'seq', seq, 'epoch', sale[12], 'kind', 'reserved', 'order', oid, 'at', now, unpack(o))
  return table.concat({ 'RESERVED', oid, quantity, amount, sale[11], status, due, stock }, '|')
end
for i = 1, (#KEYS - 8) / 5 do
  local ok, reply = pcall(purchase, 8 + (i - 1) * 5, 4 + (i - 1) * 7)
  replies[i] = ok and reply or ('FAULT ' .. tostring(reply))
end
if sold > 0 then redis.call('HSET', KEYS[1], 'seq', seq, 'held', held, 'confirmed', confirmed) end
return replies
