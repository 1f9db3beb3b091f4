#!lua
-- Gives locks back, each only if it is still its owner's. A repeat answers 'NOT_OWNER' and changes nothing.
-- KEYS  one lock per item
-- ARGV  per item: 1 owner
-- Reply one word per item: 'RELEASED' | 'NOT_OWNER' (it ended, or it is somebody else's)
local replies = {}
for i, key in ipairs(KEYS) do
  local value = redis.pcall('GET', key)
  if value == ARGV[i] or value == ARGV[i] .. ' told' then
    redis.call('DEL', key)
    replies[i] = 'RELEASED'
  else
    replies[i] = 'NOT_OWNER'
  end
end
return replies
