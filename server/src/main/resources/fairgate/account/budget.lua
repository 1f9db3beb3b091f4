#!lua
-- Counts one call against its budget: at most so many in any window. A refused call uses nothing up.
-- KEYS  1 budget: a sorted set of members by the time of their calls (ms)
-- ARGV  1 most calls  2 window (ms)  3 a member no other call has
-- Reply 0, or after how many ms the next call can be granted (at least 1)
local key, most, window = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%d', now - window))
if redis.call('ZCARD', key) < most then
  redis.call('ZADD', key, string.format('%d', now), ARGV[3])
  redis.call('PEXPIRE', key, window)
  return 0
end
local oldest = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
return math.max(1, oldest[2] + window - now)
