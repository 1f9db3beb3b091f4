#!lua
-- Reports what became of the offers to winners of a draw; one run handles many. Changes nothing.
-- KEYS  1 sale, then one session per winner. Keys of orders are built here and lie in the same slot.
-- ARGV  1 prefix of order keys
-- Reply per winner: 'OPEN' (it may still buy or pay, or the outcome is not certain yet) | 'BOUGHT units' |
--       'ENDED reason' | 'UNKNOWN' (there is no such session: it has to be seated) | 'FAULT message'
--@include fairgate/catalog/include/fields.lua
--@include fairgate/sale/include/redis_restart.lua
local call = redis.call
local SALE = KEYS[1]
local ORDER_PREFIX = ARGV[1]
local SHARED_KEYS = 1
local IS_SOLD = { paid = true, refunded = true }

local sale = read_fields(SALE, 'state', 'run')
local is_certain = sale.state and sale.state ~= 'rebuilding' and sale.state ~= 'rebuilt'
  and not has_restarted_since(sale.run)

local function state_of(key)
  local status, order, ended = unpack(call('HMGET', key, 'queue_status', 'order', 'ended'))
  if not status then
    return 'UNKNOWN'
  end
  if status == 'expired' then
    return 'ENDED ' .. (ended or 'lost')
  end
  if status ~= 'purchased' then
    return 'OPEN'
  end
  local order_status, units = unpack(call('HMGET', ORDER_PREFIX .. order, 'status', 'quantity'))
  return IS_SOLD[order_status] and 'BOUGHT ' .. units or 'OPEN'
end

local replies = {}
for i = 1, #KEYS - SHARED_KEYS do
  local ok, reply = pcall(state_of, KEYS[SHARED_KEYS + i])
  replies[i] = not is_certain and 'OPEN' or ok and reply or ('FAULT ' .. tostring(reply))
end
return replies
