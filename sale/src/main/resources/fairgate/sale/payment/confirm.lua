#!lua
-- Books a payment on an order. A pending order becomes paid. For a payment that comes after the reservation
-- ended, the units are taken again or a refund becomes due.
-- KEYS  1 sale  2 stock  3 order  4 session  5 purchases  6 pending orders  7 outbox  8 units of the user
--       9 units of the device
-- ARGV  1 order id  2 session id  3 user  4 device  5 payment id  6 amount in minor units  7 currency
--       8 policy for late payments: 'rehold' (take the units again) or 'refund'
-- Reply {word, status, version of the order}:
--   CONFIRMED   the pending order is paid
--   LATE        the cancelled or expired order is paid: its units were still free and within the limits
--   ALREADY     the order was paid with this payment before; nothing changed
--   REFUND_DUE  the payment must be refunded: it is a second one, has a wrong amount or is too late. Only the
--               first such reply appends an event
--   UNKNOWN     no such order; nothing changed
--   RETRY       the order belongs to another session, user or device, or the sale was not compared with the
--               ledger since Redis started; nothing changed
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/sale/include/redis_restart.lua
--@include fairgate/sale/include/outbox.lua
--@include fairgate/sale/include/order.lua
local call = redis.call
local SALE, STOCK, ORDER, SESSION, PURCHASES, PENDING, OUTBOX, USER_UNITS, DEVICE_UNITS = unpack(KEYS)
local ORDER_ID, SESSION_ID, USER, DEVICE, PAYMENT, AMOUNT, CURRENCY, LATE_POLICY = unpack(ARGV)
local REFUND_FIELD = 'refund:' .. PAYMENT

local now_text = string.format('%.0f', now_ms())

local function make_refund_due(order, reason)
  if call('HSETNX', ORDER, REFUND_FIELD, 1) == 1 then
    order.version = call('HINCRBY', ORDER, 'version', 1)
    append_order_event(SALE, OUTBOX, order, 'refund_due', now_text, reason, PAYMENT, 'refund_amount', AMOUNT,
      'refund_currency', CURRENCY)
  end
  return reply('REFUND_DUE', order)
end

local function make_paid(order, reason)
  order.status = 'paid'
  order.version = order.version + 1
  call('HINCRBY', SALE, 'confirmed', order.quantity)
  call('HSET', ORDER, 'status', order.status, 'payment', PAYMENT, 'version', order.version)
  call('ZREM', PENDING, order.id)
  append_order_event(SALE, OUTBOX, order, 'confirmed', now_text, reason, PAYMENT)
end

local function confirm(order)
  call('HINCRBY', SALE, 'held', -order.quantity)
  make_paid(order, '')
  return reply('CONFIRMED', order)
end

local function exceeds(limit, counter, quantity)
  local most = tonumber(limit or '0')
  return most > 0 and tonumber(call('GET', counter) or '0') + quantity > most
end

local function may_take_units_again(order)
  local sale = read_fields(SALE, 'max_user', 'max_device', 'units_ip', 'units_net', 'units_site', 'shuffle')
  -- A draw has passed the units on to the next entry. The deposit of the order has ended with it.
  return LATE_POLICY == 'rehold' and sale.shuffle ~= 'draw' and not order.deposit
    and tonumber(call('GET', STOCK) or '0') >= tonumber(order.quantity)
    and not exceeds(sale.max_user, USER_UNITS, order.quantity)
    and not exceeds(sale.max_device, DEVICE_UNITS, order.quantity)
    and not exceeds_units_of_networks(SALE, sale, order)
    and call('SISMEMBER', PURCHASES, order.session) == 0
end

local function take_units_again(order)
  call('DECRBY', STOCK, order.quantity)
  call('INCRBY', USER_UNITS, order.quantity)
  call('INCRBY', DEVICE_UNITS, order.quantity)
  add_units_of_networks(SALE, order, order.quantity)
  call('SADD', PURCHASES, order.session)
  if call('HGET', SESSION, 'queue_status') == 'expired' then
    call('HSET', SESSION, 'queue_status', 'purchased', 'order', order.id)
    call('HDEL', SESSION, 'ended')
  end
end

local function confirm_late(order)
  if not may_take_units_again(order) then
    return make_refund_due(order, 'late')
  end
  take_units_again(order)
  make_paid(order, 'late')
  return reply('LATE', order)
end

local order = read_order(ORDER, ORDER_ID, REFUND_FIELD, 'deposit')
if not order.session then
  return { 'UNKNOWN', '', 0 }
end
local run = call('HGET', SALE, 'run')
if has_restarted_since(run) or not belongs_to(order, SESSION_ID, USER, DEVICE) then
  return reply('RETRY', order)
end
order.version = tonumber(order.version)
-- A payment that is to be refunded never buys anything, even if units have become free since.
if order[REFUND_FIELD] then
  return reply('REFUND_DUE', order)
end
if order.payment == PAYMENT then
  return reply('ALREADY', order)
end
if order.amount ~= AMOUNT or order.currency ~= CURRENCY then
  return make_refund_due(order, 'amount')
end
if order.status == 'pending' then
  return confirm(order)
end
if order.status == 'cancelled' or order.status == 'expired' then
  return confirm_late(order)
end
return make_refund_due(order, 'second')
