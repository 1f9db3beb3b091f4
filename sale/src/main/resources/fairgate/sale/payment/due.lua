#!lua
-- Takes orders whose payment deadline has passed, and postpones them so that no other node takes them
-- meanwhile.
-- KEYS  1 pending orders
-- ARGV  1 maximum number of orders  2 postponement, ms
-- Reply the order ids, earliest deadline first; none when no deadline has passed
--@include fairgate/catalog/include/redis_time.lua
local PENDING = KEYS[1]
local MAX_ORDERS, POSTPONE_MS = ARGV[1], ARGV[2]

local now = now_ms()
local ids = redis.call('ZRANGEBYSCORE', PENDING, '-inf', string.format('%.0f', now), 'LIMIT', 0, MAX_ORDERS)
for _, id in ipairs(ids) do
  redis.call('ZADD', PENDING, 'XX', string.format('%.0f', now + POSTPONE_MS), id)
end
return ids
