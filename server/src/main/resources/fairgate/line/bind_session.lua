#!lua
-- Binds a place in a queue to the LINE user who was given the link; a link binds one place. A repeat for the same
-- place changes nothing and answers the same.
-- KEYS  1 link  2 session  3 user
-- ARGV  1 LINE user  2 product id  3 session id  4 life of the binding (s)  5 life of a used link's mark (s)
-- Reply 'BOUND' | 'USED' (the link has bound another place)
if not redis.call('SET', KEYS[1], ARGV[3], 'NX', 'EX', ARGV[5]) and redis.call('GET', KEYS[1]) ~= ARGV[3] then
  return 'USED'
end
redis.call('SET', KEYS[2], ARGV[2] .. ' ' .. ARGV[1], 'EX', ARGV[4])
redis.call('HSET', KEYS[3], ARGV[2], ARGV[3])
redis.call('EXPIRE', KEYS[3], ARGV[4])
return 'BOUND'
