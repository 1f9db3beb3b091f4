#!lua
-- Moves people forward: from waiting into active as capacity and rate allow, and the foremost active ones
-- into ready slots. Safe to run on any number of nodes at once: all state it decides by is in the slot.
-- KEYS  1 sale  2 waiting  3 active  4 ready  5 devices  6 stock
-- ARGV  1 session key prefix  2 lock key prefix  3 most people to move in this run. Keys of sessions found
--       here are built from the prefixes and lie in the same slot.
-- Reply {state, admitted, passed over, more to do (0/1), now in ms, sessions that became ready ...}
-- The rate is GCRA in microseconds of Redis time with a burst of 100 ms. Arrival in active is counted in whole
-- microseconds: a thousandth added to milliseconds many times over drifts until two fall together.
local t = redis.call('TIME')
local us = t[1] * 1000000 + t[2]
local now = math.floor(us / 1000)
local sale = redis.call('HMGET', KEYS[1], 'state', 'opens_at', 'closes_at', 'capacity', 'slots', 'rate',
  'window_ms', 'presence_ms', 'tat', 'last_active', 'turn_at', 'turn_ms')
local state, opens, closes = sale[1] or 'unknown', tonumber(sale[2] or '0'), tonumber(sale[3] or '0')
if state == 'scheduled' and opens > 0 and now >= opens then state = 'open' end
if closes > 0 and now >= closes then state = 'closed' end
if state ~= 'open' then return { state, 0, 0, 0, now } end

local stock, most = tonumber(redis.call('GET', KEYS[6]) or '0'), tonumber(ARGV[3])
local rate, window, presence = tonumber(sale[6]), tonumber(sale[7]), tonumber(sale[8])
local inActive = redis.call('ZCARD', KEYS[3])
local room = stock > 0 and math.min(tonumber(sale[4]) - inActive, most) or 0
local gap = rate > 0 and 1000000 / rate or 0
-- Differences only: next to an absolute time in microseconds a fraction of one is lost.
local burst, debt = math.max(100000, gap), math.max(0, tonumber(sale[9] or '0') - us)
-- More debt than a burst can only come from a clock that stepped back, or from a slower rate before.
if debt > burst + 1 then debt = 0 end
if rate > 0 then room = math.min(room, math.floor((burst - debt) / gap + 0.000001)) end
local last, admitted, passed = math.floor(tonumber(sale[10] or '0') * 1000 + 0.5), 0, 0
while admitted < room and passed < most do
  local front = redis.call('ZPOPMIN', KEYS[2], math.min(room - admitted, 100))
  if #front == 0 then break end
  for i = 1, #front, 2 do
    local sid, key = front[i], ARGV[1] .. front[i]
    local s = redis.call('HMGET', key, 'queue_status', 'seen', 'device', 'user')
    if s[1] == 'waiting' and (presence == 0 or now - tonumber(s[2] or '0') <= presence) then
      last = math.max(us, last + 1)
      redis.call('ZADD', KEYS[3], string.format('%.3f', last / 1000), sid)
      redis.call('HSET', key, 'queue_status', 'active', 'queue_position_waiting', '-1',
        'queue_position_active', inActive + admitted)
      admitted = admitted + 1
    else
      passed = passed + 1
      for _, n in ipairs({ s[3] or '', s[4] or '' }) do if redis.call('HGET', KEYS[5], n) == sid then redis.call('HDEL', KEYS[5], n) end end
      local ends = { 'queue_status', 'expired', 'ended', 'presence', 'queue_position_waiting', '-1' }
      if s[1] == 'waiting' then redis.call('HSET', key, unpack(ends)) end
    end
  end
end
if admitted > 0 then
  redis.call('HSET', KEYS[1], 'last_active', string.format('%.3f', last / 1000), 'tat',
    string.format('%.0f', us + math.ceil(debt + admitted * gap)))
  redis.call('HINCRBY', KEYS[1], 'admitted', admitted)
end

local inReady, reply, gone = redis.call('ZCARD', KEYS[4]), { state, admitted, passed, 0, now }, 0
local upTo = math.min(tonumber(sale[5]), inReady + most)
-- The ready ones are always the foremost of active: both leave together and newcomers go to the end.
for _, sid in ipairs(inReady < upTo and redis.call('ZRANGE', KEYS[3], inReady, upTo - 1) or {}) do
  if redis.call('HGET', ARGV[1] .. sid, 'queue_status') == 'active' then
    redis.call('ZADD', KEYS[4], now + window, sid)
    redis.call('SET', ARGV[2] .. sid, now + window, 'PX', window)
    redis.call('HSET', ARGV[1] .. sid, 'queue_status', 'ready_to_purchase', 'purchase_ready_at', now,
      'purchase_timeout_at', now + window)
    reply[#reply + 1] = sid
  else -- a session that died of age: writing to it would make one without a TTL
    gone = gone + redis.call('ZREM', KEYS[3], sid)
  end
end
local turns, before, mean = #reply - 5, tonumber(sale[11] or '0'), tonumber(sale[12] or '-1')
if math.max(admitted, passed, turns) >= most or gone > 0 then reply[4] = 1 end
if turns > 0 then
  -- Moving average of the time one turn takes; a turn weighs a tenth, so many at once weigh more.
  local sample, weight = (now - before) / turns, mean < 0 and 1 or 1 - 0.9 ^ turns
  if before > 0 then mean = mean + (sample - mean) * weight end
  redis.call('HSET', KEYS[1], 'turn_at', now, 'turn_ms', string.format('%.3f', mean))
  redis.call('HINCRBY', KEYS[1], 'turns', turns)
end
return reply
