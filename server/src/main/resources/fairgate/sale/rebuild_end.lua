#!lua
-- Ends a rebuild: what the ledger says is released and not sold is free. `configure` then gives the sale its
-- state back.
-- KEYS  1 sale  2 stock
-- ARGV  1 epoch  2 released  3 held  4 confirmed  5 number of the last released batch
-- Reply 'ENDED' | 'STALE' (the sale is in another epoch or no longer being rebuilt)
local sale = redis.call('HMGET', KEYS[1], 'epoch', 'state')
if sale[1] ~= ARGV[1] or sale[2] ~= 'rebuilding' then return 'STALE' end
redis.call('SET', KEYS[2], string.format('%.0f', ARGV[2] - ARGV[3] - ARGV[4]))
redis.call('HSET', KEYS[1], 'released', ARGV[2], 'held', ARGV[3], 'confirmed', ARGV[4], 'batch', ARGV[5],
  'state', 'rebuilt', 'run', string.match(redis.call('INFO', 'server'), 'run_id:(%x+)'))
return 'ENDED'
