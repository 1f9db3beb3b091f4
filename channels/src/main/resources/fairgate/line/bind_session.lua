#!lua
-- Binds a queue session to the LINE user of a link. A link binds one session. A repeat for the same session
-- has the same reply and changes nothing but the lifetimes.
-- KEYS  1 link  2 session  3 user
-- ARGV  1 LINE user  2 product id  3 session id  4 lifetime of the session (ms)  5 lifetime of a used link's
--       mark (ms)
-- Reply 'BOUND' | 'USED' (the link has bound another session)
if not redis.call('SET', KEYS[1], ARGV[3], 'NX', 'PX', ARGV[5]) and redis.call('GET', KEYS[1]) ~= ARGV[3] then
  return 'USED'
end
redis.call('SET', KEYS[2], ARGV[2] .. ' ' .. ARGV[1], 'PX', ARGV[4])
redis.call('HSET', KEYS[3], ARGV[2], ARGV[3])
-- The user may have sessions with a longer lifetime.
if redis.call('PTTL', KEYS[3]) < tonumber(ARGV[4]) then
  redis.call('PEXPIRE', KEYS[3], ARGV[4])
end
return 'BOUND'
