#!lua
-- Takes free locks for a batch of callers. A repeat by the owner changes nothing and returns the same reply.
-- KEYS  one lock per item
-- ARGV  per item: 1 owner  2 life (ms)
-- Reply one word per item: 'ACQUIRED' | 'BUSY' (another owner's) | 'FAULT text' (the key is not a lock)
-- The value is the owner; older builds added a space and a time.
local function acquire(key, owner, life)
  if redis.call('SET', key, owner, 'NX', 'PX', life) then
    return 'ACQUIRED'
  end
  local value = redis.pcall('GET', key)
  local holder = type(value) == 'string' and string.match(value, '^%S+')
  if not holder then
    return 'FAULT ' .. key .. ' is no lock'
  end
  return holder == owner and 'ACQUIRED' or 'BUSY'
end

local replies = {}
for i, key in ipairs(KEYS) do
  replies[i] = acquire(key, ARGV[2 * i - 1], ARGV[2 * i])
end
return replies
