#!lua
-- Ends a reservation that was not paid: the pending order becomes cancelled or expired, and its units become
-- free. Unless an operator cancels it, its user and device cannot join again for a while, nor can callers
-- without a cookie from its address.
-- KEYS  1 sale  2 stock  3 order  4 session  5 purchases  6 pending orders  7 outbox  8 units of the user
--       9 units of the device  10 places by device and account  11 cooldown of the user  12 of the device
-- ARGV  1 order id  2 session id  3 user  4 device
--       5 'cancelled' (at any time) or 'expired' (past its payment deadline)
--       6 reason: 'cancelled' (by the buyer), 'expired' or 'operator'
-- Reply {word, status, version of the order}:
--   RELEASED  the pending order is cancelled or expired
--   ALREADY   cancelled, expired or refunded before; nothing changed
--   PAID      the order is paid; nothing changed
--   NOT_DUE   'expired' before the payment deadline; nothing changed
--   UNKNOWN   no such order; nothing changed
--   RETRY     the order belongs to another session, user or device, or the sale was not compared with the
--             ledger since Redis started; nothing changed
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
--@include fairgate/catalog/include/pauses.lua
--@include fairgate/sale/include/redis_restart.lua
--@include fairgate/sale/include/outbox.lua
--@include fairgate/sale/include/order.lua
local call = redis.call
local SALE, STOCK, ORDER, SESSION, PURCHASES, PENDING, OUTBOX = unpack(KEYS, 1, 7)
local USER_UNITS, DEVICE_UNITS, OWNERS, USER_COOLDOWN, DEVICE_COOLDOWN = unpack(KEYS, 8, 12)
local ORDER_ID, SESSION_ID, USER, DEVICE, NEW_STATUS, REASON = unpack(ARGV)

local now = now_ms()
local now_text = string.format('%.0f', now)

local function is_due(order)
  if NEW_STATUS ~= 'expired' then
    return true
  end
  local sale = read_fields(SALE, unpack(PAYMENT_TIME_FIELDS))
  return tonumber(order.pay_by or '0') > 0 and now >= payment_deadline(order, payment_pause(sale, now))
end

local function release_units(order)
  call('INCRBY', STOCK, order.quantity)
  call('HINCRBY', SALE, 'held', -order.quantity)
  call('DECRBY', USER_UNITS, order.quantity)
  call('DECRBY', DEVICE_UNITS, order.quantity)
  add_units_of_networks(SALE, order, -order.quantity)
end

local function end_order(order)
  order.status = NEW_STATUS
  order.version = order.version + 1
  call('ZREM', PENDING, order.id)
  call('HSET', ORDER, 'status', order.status, 'version', order.version)
end

local function end_purchase(order)
  call('SREM', PURCHASES, order.session)
  if call('HGET', SESSION, 'queue_status') == 'purchased' then
    local ended = NEW_STATUS == 'expired' and 'unpaid' or 'left'
    call('HSET', SESSION, 'queue_status', 'expired', 'ended', ended)
  end
  if call('HGET', OWNERS, order.device) == order.session then
    call('HDEL', OWNERS, order.device)
  end
end

local function start_cooldown(order)
  if REASON == 'operator' then
    return
  end
  local sale = read_fields(SALE, 'cooldown_s', 'places_ip')
  local seconds = tonumber(sale.cooldown_s or '0')
  start_pause(USER_COOLDOWN, seconds, 'unpaid')
  start_pause(DEVICE_COOLDOWN, seconds, 'unpaid')
  local address = address_prefix(string.match(SALE, '^(.*):sale$'), sale, order.networks)
  if address then
    start_pause(address .. ':cooldown', seconds, 'unpaid')
  end
end

local order = read_order(ORDER, ORDER_ID)
if not order.session then
  return { 'UNKNOWN', '', 0 }
end
local run = call('HGET', SALE, 'run')
if has_restarted_since(run) or not belongs_to(order, SESSION_ID, USER, DEVICE) then
  return reply('RETRY', order)
end
order.version = tonumber(order.version)
if order.status == 'paid' then
  return reply('PAID', order)
end
if order.status ~= 'pending' then
  return reply('ALREADY', order)
end
if not is_due(order) then
  return reply('NOT_DUE', order)
end
release_units(order)
end_order(order)
end_purchase(order)
start_cooldown(order)
append_order_event(SALE, OUTBOX, order, 'released', now_text, REASON, order.payment or '')
return reply('RELEASED', order)
