#!lua
-- Starts the refund of a paid order on request. Its units stay sold until the refund is done.
-- KEYS  1 sale  2 order  3 outbox
-- ARGV  1 order id  2 reason
-- Reply {word, status, version of the order}:
--   ASKED    the event is appended; the refund worker pays the money back
--   ALREADY  asked before, or refunded; nothing changed
--   FREE     the order needed no payment: no money goes back, and refunded.lua may release the units
--   UNPAID   the order is not paid; nothing changed
--   UNKNOWN  no such order; nothing changed
--   RETRY    the sale was not compared with the ledger since Redis started; nothing changed
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/sale/include/redis_restart.lua
--@include fairgate/sale/include/outbox.lua
--@include fairgate/sale/include/order.lua
local SALE, ORDER, OUTBOX = unpack(KEYS)
local ORDER_ID, REASON = unpack(ARGV)

local function mark_refund(order)
  return redis.call('HSETNX', ORDER, 'refund:' .. order.payment, 1) == 1
end

local function append_refund_due(order)
  local now_text = string.format('%.0f', now_ms())
  order.version = redis.call('HINCRBY', ORDER, 'version', 1)
  append_order_event(SALE, OUTBOX, order, 'refund_due', now_text, REASON, order.payment, 'refund_amount',
    order.amount, 'refund_currency', order.currency)
end

local order = read_order(ORDER, ORDER_ID)
if not order.session then
  return { 'UNKNOWN', '', 0 }
end
if has_restarted_since(redis.call('HGET', SALE, 'run')) then
  return reply('RETRY', order)
end
if order.status == 'refunded' then
  return reply('ALREADY', order)
end
if order.status ~= 'paid' then
  return reply('UNPAID', order)
end
order.payment = order.payment or ''
local is_new = mark_refund(order)
if order.payment == '' then
  return reply('FREE', order)
end
if not is_new then
  return reply('ALREADY', order)
end
append_refund_due(order)
return reply('ASKED', order)
