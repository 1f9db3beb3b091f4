#!lua
-- A token bucket in two keys that goes by whole seconds, as Spring Cloud Gateway's semantics are.
-- KEYS  1 tokens  2 time of the last refill
-- ARGV  1 tokens a second  2 capacity
-- Reply: 1 or 0
local rate, capacity = tonumber(ARGV[1]), tonumber(ARGV[2])
local now = tonumber(redis.call('TIME')[1])
local life = math.max(1, math.floor(capacity / rate * 2))
local tokens = tonumber(redis.call('GET', KEYS[1]) or capacity)
local last = tonumber(redis.call('GET', KEYS[2]) or 0)
tokens = math.min(capacity, tokens + math.max(0, now - last) * rate)
local granted = tokens >= 1
if granted then tokens = tokens - 1 end
redis.call('SETEX', KEYS[1], life, tokens)
redis.call('SETEX', KEYS[2], life, now)
return granted and 1 or 0
