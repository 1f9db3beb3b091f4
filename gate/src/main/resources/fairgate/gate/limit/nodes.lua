#!lua
-- Notes that a node is alive and counts the nodes that are.
-- KEYS  1 the nodes, each with the time of its last report, ms
-- ARGV  1 the node  2 time after its last report for which a node counts as alive, ms
-- Reply  the nodes alive, this one included
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. string.format('%d', now - ARGV[2]))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])
