#!lua
-- Puts a batch of units on sale, each batch once and in order.
-- KEYS  1 sale  2 stock  3 outbox
-- ARGV  1 number of the batch, from 1  2 units
-- Reply 'APPLIED' | 'ALREADY' (this or a later batch was applied) | 'GAP' (an earlier batch is missing) |
--       'NO_SALE' (or it is being rebuilt, or was not compared with the ledger since Redis started)
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/sale/include/redis_restart.lua
--@include fairgate/sale/include/outbox.lua
local SALE, STOCK, OUTBOX = unpack(KEYS)
local BATCH, UNITS = tonumber(ARGV[1]), ARGV[2]

local function release_units(sale)
  local seq = tonumber(sale.seq or '0') + 1
  redis.call('INCRBY', STOCK, UNITS)
  redis.call('HINCRBY', SALE, 'released', UNITS)
  redis.call('HSET', SALE, 'batch', BATCH, 'seq', seq)
  append_event(OUTBOX, seq, sale.epoch, 'stock', 'batch', BATCH, 'quantity', UNITS, 'at', now_ms())
end

local sale = read_fields(SALE, 'state', 'batch', 'seq', 'epoch', 'run')
if not sale.state or sale.state == 'rebuilding' or has_restarted_since(sale.run) then
  return 'NO_SALE'
end
local last_batch = tonumber(sale.batch or '0')
if BATCH <= last_batch then
  return 'ALREADY'
end
if BATCH > last_batch + 1 then
  return 'GAP'
end
-- Fails before anything is written when the outbox has a wrong type.
redis.call('XLEN', OUTBOX)
release_units(sale)
return 'APPLIED'
