#!lua
-- Books money of an order's payment that went back without a request of this server: a refund in the
-- provider's own back office, or a lost dispute. When nothing of the payment is left, the order becomes
-- refunded and its units become free. What this server asked back itself is not counted again.
-- KEYS  1 sale  2 stock  3 order  4 session  5 purchases  6 pending orders  7 outbox  8 units of the user
--       9 units of the device
-- ARGV  1 order id  2 session id  3 user  4 device  5 payment id  6 amount in minor units  7 currency
--       8 reason  9 name of the dispute; empty for refunds: then the amount is all that went back of the
--       payment so far
-- Reply {word, status, version of the order}:
--   REFUNDED  nothing of the payment is left; the order is refunded now
--   PART      a part went back; the order stays paid
--   ALREADY   the order is not paid with this payment, all of it was asked back, or the amount was booked
--             before; nothing changed
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
local ORDER_ID, SESSION_ID, USER, DEVICE, PAYMENT, AMOUNT, CURRENCY, REASON, DISPUTE = unpack(ARGV)
local REFUND_FIELD = 'refund:' .. PAYMENT
local IS_DONE = '2'

local now_text = string.format('%.0f', now_ms())

local function text_of(amount)
  return string.format('%.0f', amount)
end

local function append_refunded(order, amount, ...)
  order.version = order.version + 1
  call('HSET', ORDER, 'version', order.version)
  append_order_event(SALE, OUTBOX, order, 'refunded', now_text, REASON, PAYMENT, 'refund_amount',
    text_of(amount), 'refund_currency', CURRENCY, ...)
end

-- The part of the amount that was not asked back or booked before.
local function new_amount(parts)
  if DISPUTE == '' then
    return tonumber(AMOUNT) - parts
  end
  return call('HEXISTS', ORDER, 'part:' .. DISPUTE) == 1 and 0 or tonumber(AMOUNT)
end

local function book_part(order, parts, amount)
  local name = DISPUTE == '' and 'provider_' .. AMOUNT or DISPUTE
  call('HSET', ORDER, 'part:' .. name, IS_DONE, 'part_amount:' .. name, text_of(amount), 'refund_parts',
    text_of(parts + amount))
  append_refunded(order, amount, 'refund_part', name)
  return reply('PART', order)
end

local function book_rest(order, rest)
  call('HSET', ORDER, REFUND_FIELD, IS_DONE)
  refund_order(KEYS, order)
  append_refunded(order, rest, 'refund_part', '')
  return reply('REFUNDED', order)
end

local order = read_order(ORDER, ORDER_ID, REFUND_FIELD, 'refund_parts')
if not order.session then
  return { 'UNKNOWN', '', 0 }
end
local run = call('HGET', SALE, 'run')
if has_restarted_since(run) or not belongs_to(order, SESSION_ID, USER, DEVICE) then
  return reply('RETRY', order)
end
order.version = tonumber(order.version)
if order.status ~= 'paid' or order.payment ~= PAYMENT or order[REFUND_FIELD] then
  return reply('ALREADY', order)
end
local parts = tonumber(order.refund_parts or '0')
local amount = new_amount(parts)
if amount <= 0 then
  return reply('ALREADY', order)
end
local rest = tonumber(order.amount) - parts
if amount >= rest then
  return book_rest(order, rest)
end
return book_part(order, parts, amount)
