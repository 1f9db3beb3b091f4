#!lua
-- Takes orders whose payment deadline has passed, and postpones them so that no other node takes them
-- meanwhile. After an outage buyers have some more time, see expire.lua.
-- KEYS  1 pending orders  2 sale
-- ARGV  1 maximum number of orders  2 postponement, ms
-- Reply {ms until the next deadline, also of orders to come; the order ids, earliest deadline first}. No order
--       is due in an outage.
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
local PENDING, SALE = KEYS[1], KEYS[2]
local MAX_ORDERS, POSTPONE_MS = ARGV[1], ARGV[2]

local now = now_ms()
local sale = read_fields(SALE, 'passed_at', 'pay_until', 'payment_ms')

-- An order that is made now has all of the time for paying. Sales without payment have no deadlines.
local NO_PAYMENT_MS = 60000

local function next_deadline_ms()
  local wait = tonumber(sale.payment_ms or '0')
  if wait == 0 then
    wait = NO_PAYMENT_MS
  end
  local first = redis.call('ZRANGE', PENDING, 0, 0, 'WITHSCORES')
  if first[2] then
    wait = math.min(wait, tonumber(first[2]) - now)
  end
  return string.format('%.0f', math.max(0, wait))
end

if outage_ms(sale, now) > 0 or now < tonumber(sale.pay_until or '0') then
  return { '0' }
end
local ids = redis.call('ZRANGEBYSCORE', PENDING, '-inf', string.format('%.0f', now), 'LIMIT', 0, MAX_ORDERS)
for _, id in ipairs(ids) do
  redis.call('ZADD', PENDING, 'XX', string.format('%.0f', now + POSTPONE_MS), id)
end
return { next_deadline_ms(), unpack(ids) }
