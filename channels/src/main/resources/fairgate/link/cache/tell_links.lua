#!lua
-- Stores the position up to which changed links were published to this Redis. After an outage or lost writes
-- the changes behind that position are published again.
-- KEYS  1 position: all changes of transactions below this number are published
-- ARGV  1 start of the published range  2 its end
-- Reply 'TOLD' | 'BEHIND n' (n is before the caller's start: publish from n)
local has = tonumber(redis.call('GET', KEYS[1]) or ARGV[1])
if has < tonumber(ARGV[1]) then
  return 'BEHIND ' .. string.format('%.0f', has)
end
if tonumber(ARGV[2]) > has or redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('SET', KEYS[1], ARGV[2])
end
return 'TOLD'
