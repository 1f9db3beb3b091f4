#!lua
-- Ends a rebuild: released units that the ledger does not count as held or sold become free. `configure.lua`
-- then restores the state of the sale.
-- KEYS  1 sale  2 stock
-- ARGV  1 epoch  2 units released  3 units held  4 units confirmed  5 number of the last released batch
--       6 events in the ledger when the units were counted
-- Reply 'ENDED' | 'STALE' (the sale is in another epoch or no longer being rebuilt)
--@include fairgate/catalog/include/fields.lua
--@include fairgate/sale/include/redis_restart.lua
local SALE, STOCK = unpack(KEYS)
local EPOCH, RELEASED, HELD, CONFIRMED, BATCH, EVENTS = unpack(ARGV)

local sale = read_fields(SALE, 'epoch', 'state')
if sale.epoch ~= EPOCH or sale.state ~= 'rebuilding' then
  return 'STALE'
end
redis.call('SET', STOCK, string.format('%.0f', RELEASED - HELD - CONFIRMED))
redis.call('HSET', SALE, 'released', RELEASED, 'held', HELD, 'confirmed', CONFIRMED, 'batch', BATCH,
  'earlier_events', EVENTS, 'state', 'rebuilt', 'run', redis_run())
return 'ENDED'
