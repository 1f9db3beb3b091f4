#!lua
-- Records on an unpaid order that a payment was declined. The buyer may try again.
-- KEYS  1 order
-- Reply 'DECLINED' (a repeat records the later time) | 'OVER' (the order is no longer pending; nothing
--       changed) | 'UNKNOWN' (no such order)
--@include fairgate/catalog/include/redis_time.lua
local ORDER = KEYS[1]

local status = redis.call('HGET', ORDER, 'status')
if not status then
  return 'UNKNOWN'
end
if status ~= 'pending' then
  return 'OVER'
end
redis.call('HSET', ORDER, 'declined_at', string.format('%.0f', now_ms()))
return 'DECLINED'
