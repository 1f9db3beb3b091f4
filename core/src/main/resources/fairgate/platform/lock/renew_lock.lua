#!lua
-- Renews locks that their owners still hold. A repeat renews them again.
-- KEYS  one lock per item
-- ARGV  per item: 1 owner  2 life (ms) from now
-- Reply one word per item: 'RENEWED' | 'LOST' (expired, or another owner's)

-- The owner of a lock: the first word of its value.
local function owner_of(key)
  local value = redis.pcall('GET', key)
  return type(value) == 'string' and string.match(value, '^%S+')
end

local replies = {}
for i, key in ipairs(KEYS) do
  local owner = ARGV[2 * i - 1]
  if owner_of(key) == owner then
    redis.call('PEXPIRE', key, ARGV[2 * i])
    replies[i] = 'RENEWED'
  else
    replies[i] = 'LOST'
  end
end
return replies
