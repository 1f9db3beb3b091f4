#!lua
-- Gives each caller a place at the end of the waiting queue, or says why not.
-- KEYS  1 sale  2 waiting  3 active  4 devices, then per item: 1 new session  2 session the caller
--       named (or the sale key)  3 used challenge (or the sale key)  4 device cooldown
--       5 units of the user  6 units of the device  7 user cooldown
-- ARGV  1 product id  2 session life, s, then per item: 1 new session id  2 named session id or ''
--       3 device hash  4 account or ''  5 how long the challenge is remembered, ms, or ''
-- Reply per item: 'JOINED position' | 'ALREADY session' | 'LIMIT' | 'COOLDOWN ms' | 'CHALLENGE_USED'
--       | 'CLOSED' | 'NO_SALE'
local t = redis.call('TIME')
local us = t[1] * 1000000 + t[2]
local now = math.floor(us / 1000)
local sale = redis.call('HMGET', KEYS[1], 'state', 'closes_at', 'last_join', 'max_user', 'max_device')
local count = (#KEYS - 4) / 7
local closes = tonumber(sale[2] or '0')
local refuse = (not sale[1] and 'NO_SALE')
  or ((sale[1] == 'closed' or (closes > 0 and now >= closes)) and 'CLOSED')
-- Whole microseconds: a thousandth added to milliseconds many times over drifts until two fall together.
local last = math.floor(tonumber(sale[3] or '0') * 1000 + 0.5)
local maxUser, maxDevice = tonumber(sale[4] or '0'), tonumber(sale[5] or '0')
local live = { waiting = true, active = true, ready_to_purchase = true }
local joined, replies, total = 0, {}, redis.call('ZCARD', KEYS[2])

-- What a session or the index of devices says is a hint: a place counts only while its queue holds it.
local function queued(sid)
  return redis.call('ZSCORE', KEYS[2], sid) or redis.call('ZSCORE', KEYS[3], sid)
end

local function place(named, session, device)
  if named ~= '' then
    local s = redis.call('HMGET', session, 'queue_status', 'product_id')
    if s[2] == ARGV[1] and live[s[1]] and queued(named) then return named end
  end
  local held = redis.call('HGET', KEYS[4], device)
  if held and queued(held) then return held end
end

local function join(k, a)
  local sid, device, challenge = ARGV[a + 1], ARGV[a + 3], ARGV[a + 5]
  local already = place(ARGV[a + 2], KEYS[k + 2], device)
  if already then return 'ALREADY ' .. already end
  local had = redis.call('MGET', KEYS[k + 5], KEYS[k + 6], KEYS[k + 4])
  if maxUser > 0 and tonumber(had[1] or '0') >= maxUser then return 'LIMIT' end
  if maxDevice > 0 and tonumber(had[2] or '0') >= maxDevice then return 'LIMIT' end
  local rest = had[3] and redis.call('PTTL', KEYS[k + 4]) or 0
  if ARGV[a + 4] ~= '' then rest = math.max(rest, redis.call('PTTL', KEYS[k + 7])) end
  if rest > 0 then return 'COOLDOWN ' .. rest end
  if challenge ~= '' and not redis.call('SET', KEYS[k + 3], '1', 'NX', 'PX', challenge) then
    return 'CHALLENGE_USED'
  end
  -- Later than everybody before, even when the clock stands still or steps back.
  last = math.max(us, last + 1)
  -- The session's own key is written first: if it cannot be, nothing else has been.
  redis.call('HSET', KEYS[k + 1], 'turnstile_verified', 'true', 'verified_at', now,
    'queue_position_waiting', total, 'queue_position_active', '-1', 'queue_status', 'waiting',
    'product_id', ARGV[1], 'device', device, 'seen', now)
  if ARGV[a + 4] ~= '' then redis.call('HSET', KEYS[k + 1], 'user', ARGV[a + 4]) end
  redis.call('EXPIRE', KEYS[k + 1], ARGV[2])
  redis.call('HSET', KEYS[4], device, sid)
  redis.call('ZADD', KEYS[2], string.format('%.3f', last / 1000), sid)
  joined, total = joined + 1, total + 1
  return 'JOINED ' .. total - 1
end

for i = 1, count do
  if refuse then
    replies[i] = refuse
  else
    local ok, reply = pcall(join, 4 + (i - 1) * 7, 2 + (i - 1) * 5)
    replies[i] = ok and reply or ('FAULT ' .. tostring(reply))
  end
end
if joined > 0 then
  redis.call('HSET', KEYS[1], 'last_join', string.format('%.3f', last / 1000))
  redis.call('HINCRBY', KEYS[1], 'joined', joined)
end
return replies
