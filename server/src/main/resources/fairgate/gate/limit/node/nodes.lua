#!lua
-- Notes that a node is alive, counts the nodes that are, and lends the limits to one that is the only one.
-- KEYS  1 the nodes  2 who has the limits to itself
-- ARGV  1 the node  2 how long a node counts that says nothing more, ms  3 how long the limits are lent, ms
--       4 'want' to have them, as far as nobody else is there; 'keep' what there is; 'yield' what it has;
--         'leave': it is gone, and what it has ends within the time of 3
-- Reply  1 how many nodes are alive, this one included  2 who has the limits: '' nobody, 'me', 'other'
local t, node, life = redis.call('TIME'), ARGV[1], ARGV[3]
local now = t[1] * 1000 + math.floor(t[2] / 1000)
if ARGV[4] == 'leave' then redis.call('ZREM', KEYS[1], node) else redis.call('ZADD', KEYS[1], now, node) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. string.format('%.0f', now - ARGV[2]))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
local alive, holder = redis.call('ZCARD', KEYS[1]), redis.call('GET', KEYS[2]) or ''
if ARGV[4] == 'want' and alive == 1 and (holder == '' or holder == node) then
  redis.call('SET', KEYS[2], node, 'PX', life)
  holder = node
elseif ARGV[4] == 'yield' and holder == node then
  redis.call('DEL', KEYS[2])
  holder = ''
elseif ARGV[4] == 'leave' and holder == node and redis.call('PTTL', KEYS[2]) > tonumber(life) then
  redis.call('PEXPIRE', KEYS[2], life)
end
return { alive, holder == '' and '' or holder == node and 'me' or 'other' }
