#!lua
-- Reads the payment deadline of a pending order.
-- KEYS  1 sale  2 order
-- ARGV  none
-- Reply {deadline if payment time does not stop again, ms of Redis time; 0 for none, whether payment time
--       stands still (0/1)}
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
local SALE, ORDER = KEYS[1], KEYS[2]

local now = now_ms()
local sale = read_fields(SALE, unpack(PAYMENT_TIME_FIELDS))
local order = read_fields(ORDER, 'pay_by', 'pay_pause')
if tonumber(order.pay_by or '0') == 0 then
  return { '0', '0' }
end
local deadline = payment_deadline(order, payment_pause(sale, now))
return { string.format('%d', deadline), payment_time_stands(sale, now) and '1' or '0' }
