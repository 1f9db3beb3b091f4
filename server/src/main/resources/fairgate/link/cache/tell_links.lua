#!lua
-- Notes how far this Redis has been told of changed links, so that one that was away or lost writes is told again.
-- KEYS  1 how far it was told: every change of a transaction below this number
-- ARGV  1 from where the caller has told  2 up to where
-- Reply 'TOLD' | 'BEHIND n' (n is before the caller's start: tell from there)
local has = tonumber(redis.call('GET', KEYS[1]) or ARGV[1])
if has < tonumber(ARGV[1]) then
  return 'BEHIND ' .. string.format('%.0f', has)
end
if tonumber(ARGV[2]) > has or redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('SET', KEYS[1], ARGV[2])
end
return 'TOLD'
