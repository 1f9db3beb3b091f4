#!lua
-- The whole edge from a ready place to a reservation. A refused item, or a key of a wrong type, changes nothing.
-- KEYS  1 sale  2 stock  3 active  4 ready  5 purchases  6 pending  7 devices  8 outbox, then one session per item; locks,
--       orders, tokens, idempotency keys and counters are built here, same slot
-- ARGV  1 prefix of event keys  2 of order keys  3 of locks  4 life of idempotency keys, s  5 product  6 an order id nobody
--       gets, then one text per item: 'quantity', or 'quantity|token|its expiry, ms|its epoch|fingerprint|idempotency key'
-- Reply per item: 'RESERVED|' or 'REPLAYED|' order|quantity|amount|currency|status|pay_by|remaining, or CONFLICT UNKNOWN
--       BOUGHT|order CLOSED NOT_OPEN NOT_IN_QUEUE NOT_IN_ACTIVE NOT_READY TIMEOUT BAD_TOKEN QUANTITY|most SOLD_OUT LIMIT DOUBTED
local call, format = redis.call, string.format -- Numbers go to Redis as text: it would print each with 17 digits.
local t = call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local sale = call('HMGET', KEYS[1], 'state', 'opens_at', 'closes_at', 'max_quantity', 'max_user', 'max_device', 'token',
  'payment', 'payment_ms', 'price', 'currency', 'epoch', 'seq', 'held', 'confirmed', 'run')
local state, opens, closes, at = sale[1], tonumber(sale[2] or '0'), tonumber(sale[3] or '0'), format('%d', now)
if state == 'scheduled' and opens > 0 and now >= opens then state = 'open' end
if state and closes > 0 and now >= closes then state = 'closed' end
local stock, most, sold, replies, looked = tonumber(call('GET', KEYS[2]) or '0'), tonumber(sale[4] or '0'), 0, {}, false
local seq, held, confirmed, server = tonumber(sale[13] or '0'), tonumber(sale[14] or '0'), tonumber(sale[15] or '0')
local function doubted() server = server or call('INFO', 'server') return not string.find(server, 'run_id:' .. sale[16] .. '\r', 1, true) end -- Redis was started anew.
local function refusal(key, quantity, token, expiry, epoch)
  local s = call('HMGET', key, 'queue_status', 'product_id', 'purchase_timeout_at')
  if not s[1] or not state then return 'UNKNOWN' end
  if s[2] ~= ARGV[5] then return 'NOT_IN_QUEUE' end
  if s[1] == 'purchased' then return 'BOUGHT|' .. call('HGET', key, 'order') end
  if state == 'closed' then return 'CLOSED' end
  if s[1] == 'expired' then return call('HGET', key, 'ended') == 'window' and 'TIMEOUT' or 'NOT_IN_QUEUE' end
  if state ~= 'open' then return 'NOT_OPEN' end
  if s[1] ~= 'ready_to_purchase' then return s[1] == 'waiting' and 'NOT_IN_ACTIVE' or 'NOT_READY' end
  if tonumber(s[3]) <= now then return 'TIMEOUT' end
  if sale[7] == '1' then
    local held = (token or '') ~= '' and call('HMGET', ARGV[1] .. ':token:' .. token, 'session', 'used') or {}
    if held[1] ~= string.sub(key, -36) or held[2] ~= '0' or tonumber(expiry) <= now or epoch ~= sale[12] then return 'BAD_TOKEN' end
  end
  if quantity > most then return 'QUANTITY|' .. sale[4] end
  return stock < quantity and 'SOLD_OUT'
end
local function purchase(key, text)
  local units, token, expiry, epoch, print, idem, id, was = text -- Most are refused: only what is asked for is taken apart.
  if not tonumber(text) then units, token, expiry, epoch, print, idem = string.match(text, '^(%d+)|(.-)|(.-)|(.-)|(.-)|(.*)$') end
  local quantity, again = tonumber(units), (idem or '') ~= '' and ARGV[1] .. ':idem:' .. idem
  if again then id, was = string.match(call('GET', again) or '', '^(%S+) (.+)$') end
  if id then return was ~= print and 'CONFLICT' or 'REPLAYED|' .. id .. '|' .. table.concat(call('HMGET', ARGV[2] .. id, 'quantity', 'amount', 'currency', 'first', 'pay_by', 'remaining'), '|') end
  local no = refusal(key, quantity, token, expiry, epoch) -- A flood is told SOLD_OUT, right in doubt too; a rebuilt sale is of no run.
  if sale[16] and (no ~= 'SOLD_OUT' or sale[16] == '') and doubted() then return 'DOUBTED' elseif no then return no end
  if not looked then for i, read in ipairs({ 'ZCARD', 'ZCARD', 'SCARD', 'ZCARD', 'HLEN', 'XLEN' }) do call(read, KEYS[i + 2]) end end
  looked = true -- None is of a wrong type.
  local sid, his = string.sub(key, -36), call('HMGET', key, 'device', 'user')
  local oid = string.sub(ARGV[6], 1, -17) .. string.sub(redis.sha1hex(ARGV[6] .. sid), 1, 16) -- To be guessed by nobody.
  local device, user = his[1] or '', his[2] or his[1] or ''
  local counters = { ARGV[1] .. ':user:' .. user .. ':bought', ARGV[1] .. ':fp:' .. device .. ':bought' }
  for i, most in ipairs({ tonumber(sale[5]), tonumber(sale[6]) }) do
    local had = tonumber(call('GET', counters[i]) or '0')
    if most > 0 and had + quantity > most then return 'LIMIT' end
  end
  local pays = sale[8] == '1'
  local status, due = pays and 'pending' or 'paid', pays and format('%d', now + tonumber(sale[9])) or '0'
  local amount, left = format('%.0f', sale[10] * quantity), format('%d', stock - quantity)
  local o = { 'session', sid, 'user', user, 'device', device, 'quantity', units, 'amount', amount, 'currency',
    sale[11], 'status', status, 'version', '1', 'pay_by', due }
  call('HSET', ARGV[2] .. oid, 'product_id', ARGV[5], 'first', status, 'created_at', at, 'updated_at', at,
    'remaining', left, unpack(o))
  stock, seq, sold, held, confirmed = call('DECRBY', KEYS[2], units), seq + 1, sold + quantity, held + (pays and quantity or 0), confirmed + (pays and 0 or quantity)
  for i = 1, 2 do call('INCRBY', counters[i], units) end
  if sale[7] == '1' then call('HSET', ARGV[1] .. ':token:' .. token, 'used', '1') end
  if pays then call('ZADD', KEYS[6], due, oid) end
  if again then call('SET', again, oid .. ' ' .. print, 'EX', ARGV[4]) end
  for i, move in ipairs({ 'ZREM', 'ZREM', 'SADD' }) do call(move, KEYS[i + 2], sid) end
  call('DEL', ARGV[3] .. sid)
  call('HSET', key, 'queue_status', 'purchased', 'order', oid, 'queue_position_active', '-1')
  for _, who in ipairs({ device, user ~= device and user or nil }) do if call('HGET', KEYS[7], who) == sid then call('HDEL', KEYS[7], who) end end
  call('XADD', KEYS[8], '*', 'seq', format('%d', seq), 'epoch', sale[12], 'kind', 'reserved', 'order', oid,
    'at', at, unpack(o))
  return table.concat({ 'RESERVED', oid, units, amount, sale[11], status, due, left }, '|')
end
for i = 9, #KEYS do
  local ok, reply = pcall(purchase, KEYS[i], ARGV[i - 2])
  replies[i - 8] = ok and reply or ('FAULT ' .. tostring(reply))
end
if sold > 0 then call('HSET', KEYS[1], 'seq', seq, 'held', held, 'confirmed', confirmed, 'bought', '1') end
return replies
