#!lua
-- Notes that a node is alive, and counts the nodes that are.
-- KEYS  1 the nodes
-- ARGV  1 the node  2 how long a node counts that says nothing more, ms
-- Reply: how many nodes are alive, this one included
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. string.format('%.0f', now - ARGV[2]))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])
