#!lua
-- Takes orders whose payment deadline has passed, and postpones them so that no other node takes them
-- meanwhile. After an outage buyers have some more time, see expire.lua.
-- KEYS  1 pending orders  2 sale
-- ARGV  1 maximum number of orders  2 postponement, ms
-- Reply the order ids, earliest deadline first; none when no deadline has passed
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
local PENDING, SALE = KEYS[1], KEYS[2]
local MAX_ORDERS, POSTPONE_MS = ARGV[1], ARGV[2]

local now = now_ms()
local sale = read_fields(SALE, 'passed_at', 'pay_until')
if outage_ms(sale, now) > 0 or now < tonumber(sale.pay_until or '0') then
  return {}
end
local ids = redis.call('ZRANGEBYSCORE', PENDING, '-inf', string.format('%.0f', now), 'LIMIT', 0, MAX_ORDERS)
for _, id in ipairs(ids) do
  redis.call('ZADD', PENDING, 'XX', string.format('%.0f', now + POSTPONE_MS), id)
end
return ids
