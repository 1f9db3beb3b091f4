#!lua
-- Opens a fresh epoch for a sale that Redis has lost or holds an older copy of: from here on nobody is admitted
-- and nothing is sold until the rebuild ends. Only the first of several callers wins, until it has come to grief:
-- by its own word, for it begins again, or since Redis has started anew, or for want of an end.
-- KEYS  1 sale  2 stock  3 purchases  4 pending orders
-- ARGV  1 the new epoch, above every earlier one  2 after how many ms a rebuild counts as cut short
--       3 who rebuilds
-- Reply 'BEGUN' | 'UNDER_WAY' (this or a later epoch stands already, or another rebuild has just begun)
local sale = redis.call('HMGET', KEYS[1], 'epoch', 'state', 'rebuild_at', 'rebuild_by', 'rebuild_run')
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
local recent = sale[2] == 'rebuilding' and sale[4] ~= ARGV[3] and sale[5] == run
  and now - tonumber(sale[3] or '0') < tonumber(ARGV[2])
if recent or tonumber(sale[1] or '0') >= tonumber(ARGV[1]) then return 'UNDER_WAY' end
redis.call('DEL', KEYS[2], KEYS[3], KEYS[4])
redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'state', 'rebuilding', 'version', 0, 'released', 0, 'held', 0,
  'confirmed', 0, 'batch', 0, 'seq', 0, 'rebuild_at', now, 'rebuild_by', ARGV[3], 'rebuild_run', run,
  'run', '')
return 'BEGUN'
