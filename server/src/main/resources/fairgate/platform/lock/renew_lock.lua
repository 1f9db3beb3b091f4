#!lua
-- Gives locks a new life, each only if it is still its owner's. A repeat does the same again.
-- KEYS  one lock per item
-- ARGV  per item: 1 owner  2 life (ms) from now
-- Reply one word per item: 'RENEWED' | 'LOST' (it ended, or it is somebody else's)
local replies = {}
for i, key in ipairs(KEYS) do
  local owner = ARGV[2 * i - 1]
  local value = redis.pcall('GET', key)
  if value == owner or value == owner .. ' told' then
    redis.call('PEXPIRE', key, ARGV[2 * i])
    replies[i] = 'RENEWED'
  else
    replies[i] = 'LOST'
  end
end
return replies
