#!lua
-- Puts one batch of units on sale, each batch once and in order.
-- KEYS  1 sale  2 stock  3 outbox
-- ARGV  1 number of the batch, from 1  2 units
-- Reply 'APPLIED' | 'ALREADY' (an earlier or this batch number was applied) | 'GAP' | 'NO_SALE' (or
--       it is being rebuilt, or has not been compared with the ledger since Redis started)
local sale = redis.call('HMGET', KEYS[1], 'state', 'batch', 'seq', 'epoch', 'run')
if not sale[1] or sale[1] == 'rebuilding' then return 'NO_SALE' end
if sale[5] and sale[5] ~= string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') then return 'NO_SALE' end
local batch, last = tonumber(ARGV[1]), tonumber(sale[2] or '0')
if batch <= last then return 'ALREADY' end
if batch > last + 1 then return 'GAP' end
redis.call('XLEN', KEYS[3]) -- fails before anything is written when the outbox cannot take the entry
local t = redis.call('TIME')
local seq = tonumber(sale[3] or '0') + 1
redis.call('INCRBY', KEYS[2], ARGV[2])
redis.call('HINCRBY', KEYS[1], 'released', ARGV[2])
redis.call('HSET', KEYS[1], 'batch', batch, 'seq', seq)
redis.call('XADD', KEYS[3], '*', 'seq', seq, 'epoch', sale[4], 'kind', 'stock', 'batch', batch,
  'quantity', ARGV[2], 'at', t[1] * 1000 + math.floor(t[2] / 1000))
return 'APPLIED'
