#!lua
-- Takes orders whose payment deadline has passed, and postpones them so that no other node takes them
-- meanwhile. Deadlines end in payment time, which this script stops while the payment provider fails, see
-- sale_clock.lua.
-- KEYS  1 pending orders  2 sale
-- ARGV  1 maximum number of orders  2 postponement, ms  3 time for which payment time stops from now on, ms;
--       0 when the provider answers
-- Reply the number of pending orders, ms until the next deadline, also of orders to come, then ids of orders,
--       earliest deadline first
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
local call = redis.call
local PENDING, SALE = KEYS[1], KEYS[2]
local MAX_ORDERS, POSTPONE_MS, STOP_MS = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

local now = now_ms()
local sale = read_fields(SALE, unpack(PAYMENT_TIME_FIELDS))

-- An order that is made now has all of the time for paying. Sales without payment have no deadlines.
local NO_PAYMENT_MS = 60000

local function next_deadline_ms(payment_time)
  local wait = tonumber(sale.payment_ms or '0')
  if wait == 0 then
    wait = NO_PAYMENT_MS
  end
  local first = call('ZRANGE', PENDING, 0, 0, 'WITHSCORES')
  if first[2] then
    wait = math.min(wait, tonumber(first[2]) - payment_time)
  end
  return string.format('%d', math.max(0, wait))
end

-- Many nodes call often, so a stop is written again only when half of it is over.
local function stop_payment_time()
  local stop_ends = string.format('%d', now + STOP_MS)
  if not payment_time_stands(sale, now) then
    sale.pay_paused_ms = string.format('%d', provider_pause(sale, now))
    sale.pay_stopped_at = string.format('%d', now)
    call('HSET', SALE, 'pay_paused_ms', sale.pay_paused_ms, 'pay_stopped_at', sale.pay_stopped_at,
      'pay_stopped_until', stop_ends)
  elseif tonumber(sale.pay_stopped_until) - now < STOP_MS / 2 then
    call('HSET', SALE, 'pay_stopped_until', stop_ends)
  end
  sale.pay_stopped_until = stop_ends
end

local pending = call('ZCARD', PENDING)
if pending > 0 and STOP_MS > 0 then
  stop_payment_time()
end
local payment_time = now - payment_pause(sale, now)
local ids = call('ZRANGEBYSCORE', PENDING, '-inf', string.format('%d', payment_time), 'LIMIT', 0, MAX_ORDERS)
for _, id in ipairs(ids) do
  call('ZADD', PENDING, 'XX', string.format('%d', payment_time + POSTPONE_MS), id)
end
return { tostring(pending), next_deadline_ms(payment_time), unpack(ids) }
