#!lua
-- Restores one order of the ledger in a sale that is being rebuilt. A repeat changes nothing. An order that
-- has ended is restored too, for late payments, and its buyer's session is corrected where an older copy
-- still says that it has bought.
-- KEYS  1 sale  2 order  3 session  4 purchases  5 pending orders  6 active  7 ready  8 waiting
--       9 units of the user  10 units of the device  11 places by device and account
-- ARGV  1 epoch  2 order id  3 session id  4 product id  5 life of a session, s  6 all units of the user 7
--       all units of the device  8 status of the order  9 payment deadline, ms, then pairs of order field and
--       value
-- Reply 'RESTORED' | 'STALE' (the sale is in another epoch or no longer being rebuilt)
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
--@include fairgate/catalog/include/places.lua
--@include fairgate/sale/include/redis_restart.lua
--@include fairgate/sale/include/outbox.lua
--@include fairgate/sale/include/order.lua
local call = redis.call
local SALE, ORDER, SESSION, PURCHASES, PENDING, ACTIVE, READY, WAITING = unpack(KEYS, 1, 8)
local USER_UNITS, DEVICE_UNITS, OWNERS = unpack(KEYS, 9, 11)
local EPOCH, ORDER_ID, SESSION_ID, PRODUCT, SESSION_LIFE_S = unpack(ARGV, 1, 5)
local UNITS_OF_USER, UNITS_OF_DEVICE, STATUS, PAY_BY = unpack(ARGV, 6, 9)
local FIRST_ORDER_FIELD = 10
local HOLDS_UNITS = { pending = true, paid = true }

local function set_units(key, units)
  if units == '0' then
    call('DEL', key)
  else
    call('SET', key, units)
  end
end

local function end_purchased_session()
  local session = read_fields(SESSION, 'queue_status', 'order')
  if session.queue_status == 'purchased' and session.order == ORDER_ID then
    local reason = STATUS == 'expired' and 'unpaid' or 'left'
    call('HSET', SESSION, 'queue_status', 'expired', 'ended', reason)
  end
end

-- The session outlives the payment window, and never ends earlier than before.
local function extend_session()
  local now = call('TIME')[1] * 1000
  local ends = math.max(now, tonumber(PAY_BY)) + SESSION_LIFE_S * 1000
  call('PEXPIREAT', SESSION, string.format('%d', math.max(ends, call('PEXPIRETIME', SESSION))))
end

-- The ledger does not know networks. An order that is missing in an older copy gets those of its session, if
-- the copy has that.
local function networks_of(order)
  return order.networks or call('HGET', SESSION, 'networks') or ''
end

local function units_of(order)
  return HOLDS_UNITS[order.status] and tonumber(order.quantity) or 0
end

-- Writes the order. An older copy may count other units of its networks than it has now.
local function restore_order()
  local earlier = read_order(ORDER, ORDER_ID)
  local networks = networks_of(earlier)
  call('HSET', ORDER, unpack(ARGV, FIRST_ORDER_FIELD))
  if networks ~= '' then
    call('HSET', ORDER, 'networks', networks)
  end
  local order = read_order(ORDER, ORDER_ID, 'deposit')
  if order.deposit then
    local deposits = string.match(SALE, '^(.*):sale$') .. ':deposits'
    call('HSET', deposits, string.match(order.deposit, '^%S+'), ORDER_ID)
  end
  local change = units_of(order) - units_of(earlier)
  if change ~= 0 then
    add_units_of_networks(SALE, order, change)
  end
end

-- Removes the place that the session still has in an older copy.
local function end_place()
  local session = read_fields(SESSION, unpack(PLACE_FIELDS))
  local was_queued = false
  for _, queue in ipairs({ ACTIVE, READY, WAITING }) do
    was_queued = call('ZREM', queue, SESSION_ID) == 1 or was_queued
  end
  if was_queued then
    forget_place(OWNERS, SESSION_ID, session)
  end
end

-- The ledger does not know for how long payment time stood still. An order that is missing in an older copy
-- gets its deadline as it was told.
local function add_pending()
  local now = now_ms()
  local pause = call('HGET', ORDER, 'pay_pause')
  if not pause then
    pause = string.format('%d', payment_pause(read_fields(SALE, unpack(PAYMENT_TIME_FIELDS)), now))
    call('HSET', ORDER, 'pay_pause', pause)
  end
  call('ZADD', PENDING, string.format('%d', PAY_BY - pause), ORDER_ID)
end

local function restore_purchase()
  call('SADD', PURCHASES, SESSION_ID)
  if STATUS == 'pending' then
    add_pending()
  end
  end_place()
  call('HSET', SALE, 'bought', '1')
  call('HSET', SESSION, 'product_id', PRODUCT, 'queue_status', 'purchased', 'order', ORDER_ID,
    'queue_position_waiting', '-1', 'queue_position_active', '-1')
  extend_session()
end

local sale = read_fields(SALE, 'epoch', 'state')
if sale.epoch ~= EPOCH or sale.state ~= 'rebuilding' then
  return 'STALE'
end
set_units(USER_UNITS, UNITS_OF_USER)
set_units(DEVICE_UNITS, UNITS_OF_DEVICE)
restore_order()
if STATUS == 'pending' or STATUS == 'paid' then
  restore_purchase()
else
  end_purchased_session()
end
return 'RESTORED'
