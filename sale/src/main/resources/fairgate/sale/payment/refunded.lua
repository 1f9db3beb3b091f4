#!lua
-- Marks a payment as refunded. An order that was paid with it becomes refunded and its units become free.
-- KEYS  1 sale  2 stock  3 order  4 session  5 purchases  6 pending orders  7 outbox  8 units of the user
--       9 units of the device
-- ARGV  1 order id  2 session id  3 user  4 device  5 payment id, empty when the order needed no payment
--       6 amount in minor units  7 currency  8 reason  9 part: empty, or the name of a part of the payment,
--       which leaves the order as it is
-- Reply {word, status, version of the order}:
--   REFUNDED  the order was paid with this payment and is refunded now
--   MARKED    the order was not paid with this payment; only its version changes
--   ALREADY   marked before; nothing changed
--   NOT_DUE   no refund of this payment is due; nothing changed
--   UNKNOWN   no such order; nothing changed
--   RETRY     the order belongs to another session, user or device, or the sale was not compared with the
--             ledger since Redis started; nothing changed
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/sale/include/redis_restart.lua
--@include fairgate/sale/include/outbox.lua
--@include fairgate/sale/include/order.lua
--@include fairgate/sale/include/refund.lua
local call = redis.call
local SALE, ORDER, OUTBOX = KEYS[1], KEYS[3], KEYS[7]
local ORDER_ID, SESSION_ID, USER, DEVICE, PAYMENT, AMOUNT, CURRENCY, REASON, PART = unpack(ARGV)
local REFUND_FIELD = PART == '' and 'refund:' .. PAYMENT or 'part:' .. PART
local IS_DUE, IS_DONE = '1', '2'

local now_text = string.format('%.0f', now_ms())

local function mark_done(order)
  order.version = order.version + 1
  call('HSET', ORDER, REFUND_FIELD, IS_DONE, 'version', order.version)
end

local order = read_order(ORDER, ORDER_ID, REFUND_FIELD)
if not order.session then
  return { 'UNKNOWN', '', 0 }
end
local run = call('HGET', SALE, 'run')
if has_restarted_since(run) or not belongs_to(order, SESSION_ID, USER, DEVICE) then
  return reply('RETRY', order)
end
order.version = tonumber(order.version)
if order[REFUND_FIELD] == IS_DONE then
  return reply('ALREADY', order)
end
if order[REFUND_FIELD] ~= IS_DUE then
  return reply('NOT_DUE', order)
end
local was_paid_with_it = PART == '' and order.status == 'paid' and (order.payment or '') == PAYMENT
mark_done(order)
if was_paid_with_it then
  refund_order(KEYS, order)
end
append_order_event(SALE, OUTBOX, order, 'refunded', now_text, REASON, PAYMENT, 'refund_amount', AMOUNT,
  'refund_currency', CURRENCY, 'refund_part', PART)
return reply(was_paid_with_it and 'REFUNDED' or 'MARKED', order)
