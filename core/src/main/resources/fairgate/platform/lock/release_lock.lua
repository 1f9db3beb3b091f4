#!lua
-- Releases locks that their owners still hold. A repeat returns 'NOT_OWNER' and changes nothing.
-- KEYS  one lock per item
-- ARGV  per item: 1 owner
-- Reply one word per item: 'RELEASED' | 'NOT_OWNER' (expired, or another owner's)

-- The owner of a lock: the first word of its value.
local function owner_of(key)
  local value = redis.pcall('GET', key)
  return type(value) == 'string' and string.match(value, '^%S+')
end

local replies = {}
for i, key in ipairs(KEYS) do
  if owner_of(key) == ARGV[i] then
    redis.call('DEL', key)
    replies[i] = 'RELEASED'
  else
    replies[i] = 'NOT_OWNER'
  end
end
return replies
