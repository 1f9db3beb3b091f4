#!lua
-- Lets a sale be written again after a restart of Redis, when it is as new as the ledger. Its next events get
-- a new epoch: a relay may still hold events that Redis has lost, and in a new epoch no event repeats their
-- numbers.
-- KEYS  1 sale
-- ARGV  1 epoch and 2 number of the last event in the ledger; 0 and 0 when it has none
--       3 the new epoch, which no sale has had yet
-- Reply 'TRUSTED' (now or before) | 'BEHIND' (older than the ledger, being rebuilt, or the new epoch is not
--       above that of the sale; nothing changed) | 'NO_SALE'
--@include fairgate/catalog/include/fields.lua
--@include fairgate/sale/include/redis_restart.lua
local SALE = KEYS[1]
local LEDGER_EPOCH, LEDGER_SEQ, NEW_EPOCH = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

local function read_sale()
  local sale = read_fields(SALE, 'epoch', 'seq', 'state', 'run', 'earlier_events')
  sale.epoch = tonumber(sale.epoch)
  sale.seq = tonumber(sale.seq or '0')
  sale.earlier_events = tonumber(sale.earlier_events or '0')
  return sale
end

local function is_behind(sale)
  return sale.state == 'rebuilding'
    or sale.epoch < LEDGER_EPOCH
    or (sale.epoch == LEDGER_EPOCH and sale.seq < LEDGER_SEQ)
end

local function begin_epoch(sale)
  redis.call('HSET', SALE, 'epoch', NEW_EPOCH, 'seq', 0, 'run', redis_run(),
    'earlier_events', string.format('%d', sale.earlier_events + sale.seq))
end

local sale = read_sale()
if not sale.epoch then
  return 'NO_SALE'
end
if is_behind(sale) then
  return 'BEHIND'
end
if sale.run == redis_run() then
  return 'TRUSTED'
end
if sale.epoch >= NEW_EPOCH then
  return 'BEHIND'
end
begin_epoch(sale)
return 'TRUSTED'
