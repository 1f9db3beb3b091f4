#!lua
-- Ends the places whose purchase window has passed and, once the sale is over, all places.
-- KEYS  1 sale  2 waiting  3 active  4 ready  5 devices
-- ARGV  1 session key prefix  2 lock key prefix  3 most places to end in this run. Keys of sessions found
--       here are built from the prefixes and lie in the same slot.
-- Reply {ended by missed window, ended by closing, more to do (0/1), state of the sale, now in ms}
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local sale = redis.call('HMGET', KEYS[1], 'state', 'opens_at', 'closes_at')
if not sale[1] then return { 0, 0, 0, 'unknown', now } end
local state, opens, closes = sale[1], tonumber(sale[2] or '0'), tonumber(sale[3] or '0')
if state == 'scheduled' and opens > 0 and now >= opens then state = 'open' end
if closes > 0 and now >= closes then state = 'closed' end
local most = tonumber(ARGV[3])

local function finish(sid, why)
  local key = ARGV[1] .. sid
  local s = redis.call('HMGET', key, 'device', 'queue_status', 'user')
  for _, who in ipairs({ s[1] or '', s[3] or '' }) do
    if redis.call('HGET', KEYS[5], who) == sid then redis.call('HDEL', KEYS[5], who) end
  end
  redis.call('DEL', ARGV[2] .. sid)
  -- A session hash that is gone stays gone: writing to it would make one without a TTL.
  if s[2] then
    redis.call('HSET', key, 'queue_status', 'expired', 'ended', why,
      'queue_position_waiting', '-1', 'queue_position_active', '-1')
  end
end

local missed, ended = 0, 0
-- While a sale is paused its windows stand still; `configure` moves them when it goes on.
if state == 'open' or state == 'scheduled' then
  for _, sid in ipairs(redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now, 'LIMIT', 0, most)) do
    redis.call('ZREM', KEYS[4], sid)
    redis.call('ZREM', KEYS[3], sid)
    finish(sid, 'window')
    missed = missed + 1
  end
  if missed > 0 then redis.call('HINCRBY', KEYS[1], 'missed', missed) end
elseif state == 'closed' then
  for _, queue in ipairs({ KEYS[4], KEYS[3], KEYS[2] }) do
    local popped = redis.call('ZPOPMIN', queue, math.max(0, most - ended))
    for i = 1, #popped, 2 do
      redis.call('ZREM', KEYS[3], popped[i])
      finish(popped[i], 'closed')
      ended = ended + 1
    end
  end
end
local more = (missed >= most or ended >= most) and 1 or 0
return { missed, ended, more, state, now }
