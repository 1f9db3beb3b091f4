#!lua
-- Counts two counters up that must never differ; only one of them is declared.
-- KEYS  1 first counter
-- ARGV  1 name of the second counter, in the same slot
-- Reply 'first second'
local first = redis.call('INCR', KEYS[1])
return first .. ' ' .. redis.call('INCR', ARGV[1]) .. ' ' .. #KEYS
