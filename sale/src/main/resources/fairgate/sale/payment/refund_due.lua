#!lua
-- Starts a refund of a paid order on request: of all that was not asked back before, which ends the order, or
-- of a part. Its units stay sold until the first is done; a part leaves the order as it is.
-- KEYS  1 sale  2 order  3 outbox
-- ARGV  1 order id  2 reason  3 part: the name of the part, empty for the rest  4 amount of the part in minor
--       units, empty for the rest
-- Reply {word, status, version of the order, amount that can still be asked back}:
--   ASKED     the event is appended; the refund worker pays the money back
--   ALREADY   asked before, or refunded; nothing changed
--   CONFLICT  the part was asked with another amount; nothing changed
--   TOO_MUCH  the part is larger than what can still be asked back; nothing changed
--   FREE      no money goes back, because none was paid or all parts were asked back: refunded.lua may
--             release the units
--   UNPAID    the order is not paid; nothing changed
--   UNKNOWN   no such order; nothing changed
--   RETRY     the sale was not compared with the ledger since Redis started; nothing changed
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/sale/include/redis_restart.lua
--@include fairgate/sale/include/outbox.lua
--@include fairgate/sale/include/order.lua
local call = redis.call
local SALE, ORDER, OUTBOX = unpack(KEYS)
local ORDER_ID, REASON, PART, AMOUNT = unpack(ARGV)
local PART_FIELD, PART_AMOUNT_FIELD = 'part:' .. PART, 'part_amount:' .. PART

local function text_of(amount)
  return string.format('%.0f', amount)
end

local function answer(word, order, refundable)
  return { word, order.status, order.version, text_of(refundable) }
end

-- The amount that can still be asked back. Nothing can, once the rest was asked back.
local function refundable_of(order)
  local rest_asked = call('HEXISTS', ORDER, 'refund:' .. order.payment) == 1
  if order.status ~= 'paid' or order.payment == '' or rest_asked then
    return 0
  end
  return tonumber(order.amount) - tonumber(order.refund_parts or '0')
end

local function append_refund_due(order, amount, ...)
  local now_text = string.format('%.0f', now_ms())
  order.version = call('HINCRBY', ORDER, 'version', 1)
  append_order_event(SALE, OUTBOX, order, 'refund_due', now_text, REASON, order.payment, 'refund_amount',
    amount, 'refund_currency', order.currency, ...)
end

local function ask_for_part(order)
  local refundable = refundable_of(order)
  local asked = call('HGET', ORDER, PART_AMOUNT_FIELD)
  if asked then
    return answer(asked == AMOUNT and 'ALREADY' or 'CONFLICT', order, refundable)
  end
  if order.status ~= 'paid' then
    return answer('UNPAID', order, 0)
  end
  if tonumber(AMOUNT) > refundable then
    return answer('TOO_MUCH', order, refundable)
  end
  call('HSET', ORDER, PART_FIELD, 1, PART_AMOUNT_FIELD, AMOUNT, 'refund_parts',
    text_of(tonumber(order.refund_parts or '0') + tonumber(AMOUNT)))
  append_refund_due(order, AMOUNT, 'refund_part', PART)
  return answer('ASKED', order, refundable - tonumber(AMOUNT))
end

local function ask_for_rest(order)
  if order.status == 'refunded' then
    return answer('ALREADY', order, 0)
  end
  if order.status ~= 'paid' then
    return answer('UNPAID', order, 0)
  end
  local rest = tonumber(order.amount) - tonumber(order.refund_parts or '0')
  local is_new = call('HSETNX', ORDER, 'refund:' .. order.payment, 1) == 1
  if order.payment == '' or rest == 0 then
    return answer('FREE', order, 0)
  end
  if not is_new then
    return answer('ALREADY', order, 0)
  end
  append_refund_due(order, text_of(rest))
  return answer('ASKED', order, 0)
end

local order = read_order(ORDER, ORDER_ID, 'refund_parts')
if not order.session then
  return { 'UNKNOWN', '', 0, '0' }
end
if has_restarted_since(call('HGET', SALE, 'run')) then
  return answer('RETRY', order, 0)
end
order.payment = order.payment or ''
if PART == '' then
  return ask_for_rest(order)
end
return ask_for_part(order)
