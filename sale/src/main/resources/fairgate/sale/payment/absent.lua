#!lua
-- Tells whether an order that was not found never existed, or may have been lost by Redis.
-- KEYS  1 sale  2 order
-- Reply 'UNKNOWN' (the sale is complete and has no such order) | 'NO_SALE' (no such sale: it never existed,
--       or Redis is empty) | 'RETRY' (the sale is being rebuilt, or was not compared with the ledger since
--       Redis started; or the order exists now)
--@include fairgate/catalog/include/fields.lua
--@include fairgate/sale/include/redis_restart.lua
local SALE, ORDER = unpack(KEYS)

local sale = read_fields(SALE, 'epoch', 'state', 'run')
if redis.call('EXISTS', ORDER) == 1 then
  return 'RETRY'
end
if not sale.epoch then
  return 'NO_SALE'
end
if has_restarted_since(sale.run) or sale.state == 'rebuilding' then
  return 'RETRY'
end
return 'UNKNOWN'
