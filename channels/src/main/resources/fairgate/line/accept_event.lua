#!lua
-- Stores events for a batch of callers: each id once while its mark exists.
-- KEYS  1 inbox  2 pending, then one mark per event
-- ARGV  1 owner  2 lease (ms)  3 lifetime of a mark (s), then per event: 1 id  2 payload
-- Reply one word per event: 'ACCEPTED' (stored; the caller owns it) | 'DUPLICATE' (known, settled or not)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local replies = {}
for i = 3, #KEYS do
  local id, payload = ARGV[2 * i - 2], ARGV[2 * i - 1]
  if redis.call('SET', KEYS[i], '1', 'NX', 'EX', ARGV[3]) then
    redis.call('HSET', KEYS[1], id, 'new ' .. ARGV[1] .. ' 1 ' .. payload)
    redis.call('ZADD', KEYS[2], now + ARGV[2], id)
    replies[i - 2] = 'ACCEPTED'
  else
    replies[i - 2] = 'DUPLICATE'
  end
end
return replies
