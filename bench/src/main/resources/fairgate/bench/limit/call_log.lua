#!lua
-- A sliding window as a log of calls in a sorted set, by the caller's clock: the semantics of the short-link
-- seed.
-- KEYS  1 the log
-- ARGV  1 now, ms  2 window, ms  3 calls in a window  4 a name no other call has
-- Reply: 1 or 0
local now, window = tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
redis.call('ZADD', KEYS[1], now, ARGV[4])
redis.call('PEXPIRE', KEYS[1], window)
if redis.call('ZCARD', KEYS[1]) <= tonumber(ARGV[3]) then return 1 end
redis.call('ZREM', KEYS[1], ARGV[4])
return 0
