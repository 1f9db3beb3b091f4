#!lua
-- Gives out what a one-time code is compared with, a few times only: each time is a try. The code is used up
-- by deleting its key, which succeeds for one caller.
-- KEYS  1 code: 'tries|digest', with a TTL
-- ARGV  1 most tries
-- Reply the digest, or '' when there is no code or it has been tried too often
local tries, digest = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+)|(.+)$')
if not digest then return '' end
if tonumber(tries) >= tonumber(ARGV[1]) then
  redis.call('DEL', KEYS[1])
  return ''
end
redis.call('SET', KEYS[1], string.format('%d|%s', tries + 1, digest), 'KEEPTTL')
return digest
