#!lua
-- Takes locks that are free, for many callers at once. A repeat by the owner changes nothing and answers the same.
-- KEYS  one lock per item
-- ARGV  per item: 1 owner  2 life (ms)
-- Reply one word per item: 'ACQUIRED' | 'BUSY' (somebody else's; the first refused since he took it)
--       | 'TOLD' (somebody else's, and another was refused before) | 'FAULT text' (the key is no lock)
-- The value is the owner, and ' told' after it once somebody was refused.
local replies = {}
for i, key in ipairs(KEYS) do
  local owner, life = ARGV[2 * i - 1], ARGV[2 * i]
  if redis.call('SET', key, owner, 'NX', 'PX', life) then
    replies[i] = 'ACQUIRED'
  else
    local value = redis.pcall('GET', key)
    if type(value) ~= 'string' then
      replies[i] = 'FAULT ' .. key .. ' is no lock'
    elseif value == owner or value == owner .. ' told' then
      replies[i] = 'ACQUIRED'
    elseif string.sub(value, -5) == ' told' then
      replies[i] = 'TOLD'
    else
      redis.call('SET', key, value .. ' told', 'XX', 'KEEPTTL')
      replies[i] = 'BUSY'
    end
  end
end
return replies
