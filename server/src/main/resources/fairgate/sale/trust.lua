#!lua
-- Says that a sale is as new as the ledger, after Redis was started anew: from now on it may be written to again.
-- KEYS  1 sale
-- ARGV  1 epoch and 2 number of the last event the ledger has; 0 and 0 when it has none
-- Reply 'TRUSTED' (now or before) | 'BEHIND' (older than the ledger, or being rebuilt) | 'NO_SALE'
local sale = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'state')
if not sale[1] then return 'NO_SALE' end
local epoch, seq, last = tonumber(sale[1]), tonumber(sale[2] or '0'), tonumber(ARGV[1])
if sale[3] == 'rebuilding' or epoch < last or (epoch == last and seq < tonumber(ARGV[2])) then return 'BEHIND' end
redis.call('HSET', KEYS[1], 'run', string.match(redis.call('INFO', 'server'), 'run_id:(%x+)'))
return 'TRUSTED'
