#!lua
-- Counts a miss of each subject, many per run, and bans a subject with too many misses.
-- KEYS  per item: 1 misses (sorted set)  2 ban (string); both of one subject, in one slot
-- ARGV  per item: 1 misses that ban, 0 = never  2 their window, ms  3 length of a ban, ms  4 what was tried:
--       its misses are one
-- Reply per item: 'NOTED' | 'NEWLY_BANNED ms' | 'BANNED ms' (already)
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)

local function miss(misses, ban, banAfter, window, banFor, name)
  local barred = redis.call('PTTL', ban)
  if barred > 0 then return 'BANNED ' .. barred end
  redis.call('ZREMRANGEBYSCORE', misses, '-inf', now - window)
  redis.call('ZADD', misses, 'NX', now, name)
  redis.call('PEXPIRE', misses, window)
  if banAfter > 0 and redis.call('ZCARD', misses) >= banAfter then
    redis.call('SET', ban, now, 'PX', banFor)
    redis.call('DEL', misses)
    return 'NEWLY_BANNED ' .. banFor
  end
  return 'NOTED'
end

local replies = {}
for i = 1, #KEYS / 2 do
  local a = i * 4
  local ok, reply = pcall(miss, KEYS[i * 2 - 1], KEYS[i * 2], tonumber(ARGV[a - 3]), tonumber(ARGV[a - 2]),
    tonumber(ARGV[a - 1]), ARGV[a])
  replies[i] = ok and reply or ('FAULT ' .. tostring(reply))
end
return replies
