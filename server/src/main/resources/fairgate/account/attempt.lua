#!lua
-- Lets one try at a password pass, or says how long to wait. A try counts as failed until it is known to be right:
-- then the key is deleted. So many tries at once are worth no more than one after another.
-- KEYS  1 tries: a hash of `failures` and `next` (ms, when the next try may pass)
-- ARGV  1 failures without a delay  2 first delay (ms), doubled by each further failure  3 longest delay (ms)
--       4 life of the count after its last try (ms)
-- Reply 0, or the wait (ms)
local key, free, first, longest = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local was = redis.call('HMGET', key, 'failures', 'next')
local wait = tonumber(was[2] or '0') - now
if wait > 0 then return math.ceil(wait) end
local failures = tonumber(was[1] or '0') + 1
local delay = 0
-- Doubled thirty times, any delay is past the longest one.
if failures > free then delay = math.min(longest, first * 2 ^ math.min(30, failures - free - 1)) end
redis.call('HSET', key, 'failures', string.format('%d', failures), 'next', string.format('%d', now + delay))
redis.call('PEXPIRE', key, ARGV[4])
return 0
