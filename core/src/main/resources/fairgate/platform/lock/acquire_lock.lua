#!lua
-- Takes free locks for a batch of callers. A repeat by the owner changes nothing and returns the same reply.
-- KEYS  one lock per item
-- ARGV  1 minimum time between two notices of a lock (ms), then per item: 1 owner  2 life (ms)
-- Reply one word per item: 'ACQUIRED'
--       | 'BUSY' (another owner's; the caller notifies the actor, because the last notice is old enough)
--       | 'TOLD' (another owner's; the actor was notified recently)
--       | 'FAULT text' (the key is not a lock)
-- The value is the owner, followed after the first refusal by a space and the time of the last notice (ms).
local notice_interval = tonumber(ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function refuse(key, holder, noticed_at)
  -- A notice in the future was recorded before the clock was set back.
  if noticed_at and noticed_at <= now and now - noticed_at < notice_interval then
    return 'TOLD'
  end
  redis.call('SET', key, string.format('%s %.0f', holder, now), 'XX', 'KEEPTTL')
  return 'BUSY'
end

local function acquire(key, owner, life)
  if redis.call('SET', key, owner, 'NX', 'PX', life) then
    return 'ACQUIRED'
  end
  local value = redis.pcall('GET', key)
  local holder, noticed_at
  if type(value) == 'string' then
    holder, noticed_at = string.match(value, '^(%S+) ?(%d*)')
  end
  if not holder then
    return 'FAULT ' .. key .. ' is no lock'
  end
  if holder == owner then
    return 'ACQUIRED'
  end
  return refuse(key, holder, tonumber(noticed_at))
end

local replies = {}
for i, key in ipairs(KEYS) do
  replies[i] = acquire(key, ARGV[2 * i], ARGV[2 * i + 1])
end
return replies
