#!lua
-- Takes orders whose payment deadline has come, and puts them off so that no other node takes them meanwhile.
-- KEYS 1 pending
-- ARGV 1 how many at most, 2 how long they are put off, in milliseconds
-- Replies the order ids, earliest first; none when nothing is due.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now), 'LIMIT', 0, ARGV[1])
for _, id in ipairs(ids) do
  redis.call('ZADD', KEYS[1], 'XX', string.format('%.0f', now + ARGV[2]), id)
end
return ids
