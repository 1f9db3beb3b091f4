#!lua
-- Gives each caller a place at the end of the waiting queue, or says why not.
-- KEYS  1 sale  2 waiting  3 active  4 places by device and account, then one new session per item. Others are built here.
-- ARGV  1 product id  2 session life, s  3 prefix of session keys  4 of event keys, then one text per item:
--       'device', or 'device|account|named session|challenge|ms the challenge is remembered' (any but device may be empty)
-- Reply per item: 'JOINED position' | 'ALREADY session' | 'LIMIT' | 'COOLDOWN ms' | 'CHALLENGE_USED' | 'CLOSED' | 'NO_SALE'
local call, format, floor = redis.call, string.format, math.floor
local t = call('TIME')
local us = t[1] * 1000000 + t[2]
local now = format('%d', floor(us / 1000)) -- Text: Redis would print a number with 17 digits for every argument.
local sale = call('HMGET', KEYS[1], 'state', 'closes_at', 'last_join', 'max_user', 'max_device', 'bought')
local closes = tonumber(sale[2] or '0')
local refuse = (not sale[1] and 'NO_SALE') or ((sale[1] == 'closed' or (closes > 0 and us / 1000 >= closes)) and 'CLOSED')
-- Whole microseconds: a thousandth added to milliseconds many times over drifts until two fall together.
local last = floor(tonumber(sale[3] or '0') * 1000 + 0.5)
local total, live = call('ZCARD', KEYS[2]), { waiting = true, active = true, ready_to_purchase = true }
local joined, replies, items, devices, mine, indexed, places = 0, {}, {}, {}, {}, {}, {}
for i = 1, #KEYS - 4 do
  local device, account, named, nonce, ms = string.match(ARGV[4 + i], '^([^|]*)|([^|]*)|([^|]*)|([^|]*)|(.*)$')
  devices[i] = device or ARGV[4 + i]
  items[i] = { devices[i], account or '', named or '', nonce or '', ms }
end
-- One look for all. Before anybody has bought, nobody has units or a cooldown.
local held = not refuse and call('HMGET', KEYS[4], unpack(devices))

-- What a session or the index of devices says is a hint: a place counts only while its queue holds it.
local function queued(sid) return call('ZSCORE', KEYS[2], sid) or call('ZSCORE', KEYS[3], sid) end
local function place(named, device, account, was)
  if mine[device] or mine[account] then return mine[device] or mine[account] end
  if named ~= '' then
    local s = call('HMGET', ARGV[3] .. named, 'queue_status', 'product_id')
    if s[2] == ARGV[1] and live[s[1]] and queued(named) then return named end
  end
  local his = account ~= '' and call('HGET', KEYS[4], account) -- One place for all devices of an account.
  return (was and queued(was) and was) or (his and queued(his) and his)
end
local function barred(device, account)
  local fp, user = ARGV[4] .. ':fp:' .. device, ARGV[4] .. ':user:' .. (account ~= '' and account or device)
  local had = call('MGET', user .. ':bought', fp .. ':bought', fp .. ':cooldown', user .. ':cooldown')
  for i, most in ipairs({ tonumber(sale[4] or '0'), tonumber(sale[5] or '0') }) do
    if most > 0 and tonumber(had[i] or '0') >= most then return 'LIMIT' end
  end
  local rest = math.max(had[3] and call('PTTL', fp .. ':cooldown') or 0, had[4] and call('PTTL', user .. ':cooldown') or 0)
  return rest > 0 and 'COOLDOWN ' .. rest
end
local function join(key, item, was)
  local device, account, nonce = item[1], item[2], item[4]
  if refuse then return refuse end
  local already = place(item[3], device, account, was)
  if already then return 'ALREADY ' .. already end
  local no = sale[6] and barred(device, account)
  if no then return no end
  if nonce ~= '' and not call('SET', ARGV[4] .. ':challenge:' .. nonce, '1', 'NX', 'PX', item[5]) then
    return 'CHALLENGE_USED'
  end
  local position = format('%d', total + joined)
  call('HSET', key, 'queue_status', 'waiting', 'product_id', ARGV[1], 'turnstile_verified', 'true', 'verified_at', now,
    'queue_position_waiting', position, 'queue_position_active', '-1', 'device', device, 'seen', now)
  if account ~= '' then call('HSET', key, 'user', account) end
  call('EXPIRE', key, ARGV[2])
  local sid = string.sub(key, -36)
  -- Later than everybody before, even when the clock stands still or steps back.
  last = math.max(us, last + 1)
  places[2 * joined + 1], places[2 * joined + 2] = format('%d.%03d', floor(last / 1000), last % 1000), sid
  indexed[#indexed + 1], indexed[#indexed + 2] = device, sid
  if account ~= '' then indexed[#indexed + 1], indexed[#indexed + 2], mine[account] = account, sid, sid end
  mine[device], joined = sid, joined + 1
  return 'JOINED ' .. position
end
for i, item in ipairs(items) do
  local ok, reply = pcall(join, KEYS[4 + i], item, held and held[i])
  replies[i] = ok and reply or ('FAULT ' .. tostring(reply))
end
if joined > 0 then
  call('HSET', KEYS[4], unpack(indexed))
  call('ZADD', KEYS[2], unpack(places))
  call('HSET', KEYS[1], 'last_join', places[#places - 1])
  call('HINCRBY', KEYS[1], 'joined', joined)
end
return replies
