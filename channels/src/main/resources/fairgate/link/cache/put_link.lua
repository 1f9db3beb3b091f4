#!lua
-- Puts links into the cache, for many callers at once; what is newer there stays. A repeat changes nothing
-- but the TTL.
-- KEYS  one cached link per item
-- ARGV  per item: 1 version (0 = there is no such link)  2 life (ms)  3 value
-- Reply one word per item: 'PUT' | 'KEPT' (a newer one was there)
-- A value is '__nil__', or begins with its version and a blank.
local replies = {}
for i, key in ipairs(KEYS) do
  local version, life, value = tonumber(ARGV[3 * i - 2]), ARGV[3 * i - 1], ARGV[3 * i]
  local there = redis.pcall('GET', key)
  local has = -1
  if type(there) == 'string' then
    -- What is no link of ours is written over.
    has = there == '__nil__' and 0 or tonumber(string.match(there, '^(%d+) ')) or -1
  end
  if has > version then
    replies[i] = 'KEPT'
  else
    redis.call('SET', key, value, 'PX', life)
    replies[i] = 'PUT'
  end
end
return replies
