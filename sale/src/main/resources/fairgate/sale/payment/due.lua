#!lua
-- Takes orders whose payment deadline has passed, and postpones them so that no other node takes them
-- meanwhile. Deadlines end in payment time, which this script stops while the payment provider fails, see
-- sale_clock.lua.
-- KEYS  per item, a sale: 1 pending orders  2 sale
-- ARGV  per item: 1 maximum number of orders  2 postponement, ms  3 time for which payment time stops from
--       now on, ms; 0 when the provider answers
-- Reply per item, joined by '|': number of pending orders, ms until the next deadline, also of orders to
--       come, then ids of orders, earliest deadline first
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
local call = redis.call
local KEYS_PER_ITEM = 2
local ARGS_PER_ITEM = 3

-- An order that is made now has all of the time for paying. Sales without payment have no deadlines.
local NO_PAYMENT_MS = 60000

local now = now_ms()

-- The sale of the item.
local PENDING, SALE, MAX_ORDERS, POSTPONE_MS, STOP_MS
local sale

local function read_item(item)
  PENDING, SALE = unpack(KEYS, KEYS_PER_ITEM * (item - 1) + 1, KEYS_PER_ITEM * item)
  MAX_ORDERS, POSTPONE_MS, STOP_MS = unpack(ARGV, ARGS_PER_ITEM * (item - 1) + 1, ARGS_PER_ITEM * item)
  POSTPONE_MS, STOP_MS = tonumber(POSTPONE_MS), tonumber(STOP_MS)
  sale = read_fields(SALE, unpack(PAYMENT_TIME_FIELDS))
end

local function whole_payment_ms()
  local payment_ms = tonumber(sale.payment_ms or '0')
  return payment_ms == 0 and NO_PAYMENT_MS or payment_ms
end

local function next_deadline_ms(payment_time)
  local first = call('ZRANGE', PENDING, 0, 0, 'WITHSCORES')
  return math.max(0, math.min(whole_payment_ms(), tonumber(first[2]) - payment_time))
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

local function take_orders(payment_time)
  local ids =
    call('ZRANGEBYSCORE', PENDING, '-inf', string.format('%d', payment_time), 'LIMIT', 0, MAX_ORDERS)
  for _, id in ipairs(ids) do
    call('ZADD', PENDING, 'XX', string.format('%d', payment_time + POSTPONE_MS), id)
  end
  return ids
end

local function due(item)
  read_item(item)
  local pending = call('ZCARD', PENDING)
  if pending == 0 then
    return string.format('0|%d', whole_payment_ms())
  end
  if STOP_MS > 0 then
    stop_payment_time()
  end
  local payment_time = now - payment_pause(sale, now)
  local ids = take_orders(payment_time)
  return table.concat({ pending, string.format('%d', next_deadline_ms(payment_time)), unpack(ids) }, '|')
end

local replies = {}
for item = 1, #KEYS / KEYS_PER_ITEM do
  local ok, result = pcall(due, item)
  replies[item] = ok and result or ('FAULT ' .. tostring(result))
end
return replies
