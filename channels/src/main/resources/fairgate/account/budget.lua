#!lua
-- Counts one call against a sliding-window limit. A refused call is not counted.
-- KEYS  1 budget: a sorted set of members by the time of their calls (ms)
-- ARGV  1 calls per window  2 window (ms)  3 unique member for this call
-- Reply 0, or the time until the next call can be granted (ms, at least 1)
local key, limit, window = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%d', now - window))
if redis.call('ZCARD', key) < limit then
  redis.call('ZADD', key, string.format('%d', now), ARGV[3])
  redis.call('PEXPIRE', key, window)
  return 0
end
local oldest = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
return math.max(1, oldest[2] + window - now)
