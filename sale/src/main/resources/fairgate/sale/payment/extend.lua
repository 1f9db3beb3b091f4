#!lua
-- Extends the payment deadline of a pending order on request. A deadline that is later stays.
-- KEYS  1 sale  2 order  3 pending orders  4 outbox
-- ARGV  1 order id  2 the new deadline, ms of Redis time  3 reason
-- Reply {word, status, version of the order}:
--   EXTENDED  the event is appended
--   LATER     the deadline is as late already; nothing changed
--   DUE       the deadline has passed and the order may be closed at the provider; nothing changed
--   OVER      the order is not pending; nothing changed
--   UNKNOWN   no such order; nothing changed
--   RETRY     the sale was not compared with the ledger since Redis started; nothing changed
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
--@include fairgate/sale/include/redis_restart.lua
--@include fairgate/sale/include/outbox.lua
--@include fairgate/sale/include/order.lua
local call = redis.call
local SALE, ORDER, PENDING, OUTBOX = unpack(KEYS)
local ORDER_ID, NEW_DEADLINE, REASON = unpack(ARGV)

local now = now_ms()

local function extend(order, pause)
  local now_text = string.format('%d', now)
  order.pay_by = NEW_DEADLINE
  order.version = order.version + 1
  call('HSET', ORDER, 'pay_by', order.pay_by, 'pay_pause', string.format('%d', pause),
    'version', order.version)
  call('ZADD', PENDING, 'XX', string.format('%d', NEW_DEADLINE - pause), order.id)
  append_order_event(SALE, OUTBOX, order, 'extended', now_text, REASON, order.payment or '')
end

local order = read_order(ORDER, ORDER_ID)
if not order.session then
  return { 'UNKNOWN', '', 0 }
end
local sale = read_fields(SALE, 'run', unpack(PAYMENT_TIME_FIELDS))
if has_restarted_since(sale.run) then
  return reply('RETRY', order)
end
order.version = tonumber(order.version)
if order.status ~= 'pending' then
  return reply('OVER', order)
end
local pause = payment_pause(sale, now)
local deadline = payment_deadline(order, pause)
if now >= deadline then
  return reply('DUE', order)
end
if deadline >= tonumber(NEW_DEADLINE) then
  return reply('LATER', order)
end
extend(order, pause)
return reply('EXTENDED', order)
