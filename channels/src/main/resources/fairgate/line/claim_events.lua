#!lua
-- Gives events with an expired lease to a new owner: their owner died or released them.
-- KEYS  1 inbox  2 pending
-- ARGV  1 new owner  2 lease (ms)  3 maximum number of events
-- Reply a list, three elements per event: step ('new', 'reply', 'push'), number of the try (the first was 1),
--       payload
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local replies = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, ARGV[3])) do
  local event = redis.call('HGET', KEYS[1], id) or ''
  local step, _, try, payload = string.match(event, '^(%a+) (%S+) (%d+) (.*)$')
  if step then
    try = try + 1
    local number = string.format('%d', try)
    redis.call('HSET', KEYS[1], id, table.concat({ step, ARGV[1], number, payload }, ' '))
    redis.call('ZADD', KEYS[2], now + ARGV[2], id)
    replies[#replies + 1] = step
    replies[#replies + 1] = number
    replies[#replies + 1] = payload
  else
    redis.call('HDEL', KEYS[1], id)
    redis.call('ZREM', KEYS[2], id)
  end
end
return replies
