#!lua
-- Counts one attempt of each subject, many per run. A refused attempt is not counted, except that a refusal
-- for earlier misses counts as a miss. Windows slide.
-- KEYS  per item: 1 attempts (sorted set)  2 misses (sorted set)  3 ban (string); all of one subject, in one
--       slot
-- ARGV  per item: 1 attempts allowed, 0 = any  2 their window, ms  3 misses allowed, 0 = any  4 their window,
--       ms 5 misses that ban, 0 = never  6 their window, ms  7 length of a ban, ms  8 unique name of the
--       attempt 9 what is tried: a miss of it counts once  10 '1' when misses and ban do not count this time
-- Reply per item: 'OK' | 'OK_AFTER_MISSES' (there were some) | 'LIMITED ms' | 'MISSED ms' (too many misses) |
--       'BANNED ms' | 'NEWLY_BANNED ms'
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)

-- The time until a full window has room again, ms.
local function rest(key, allowed, window)
  local oldest = redis.call('ZRANGE', key, -allowed, -allowed, 'WITHSCORES')
  return math.max(1, math.ceil(tonumber(oldest[2] or now) + window - now))
end

local function attempt(attempts, misses, ban, a)
  local excused = a[10] == '1'
  local barred = redis.call('PTTL', ban)
  if barred > 0 and not excused then return 'BANNED ' .. barred end
  local allowed, window = tonumber(a[1]), tonumber(a[2])
  local missesAllowed, missWindow = tonumber(a[3]), tonumber(a[4])
  local banAfter, banWindow, banFor = tonumber(a[5]), tonumber(a[6]), tonumber(a[7])
  local missed = redis.call('ZCOUNT', misses, '(' .. now - missWindow, '+inf')
  if not excused and missesAllowed > 0 and missed >= missesAllowed then
    local wait = rest(misses, missesAllowed, missWindow)
    redis.call('ZREMRANGEBYSCORE', misses, '-inf', now - banWindow)
    -- Noted as older than the window of misses, so that waiting as told is enough.
    redis.call('ZADD', misses, 'NX', now - missWindow, a[9])
    redis.call('PEXPIRE', misses, banWindow)
    if banAfter > 0 and redis.call('ZCARD', misses) >= banAfter then
      redis.call('SET', ban, now, 'PX', banFor)
      redis.call('DEL', misses)
      return 'NEWLY_BANNED ' .. banFor
    end
    return 'MISSED ' .. wait
  end
  if allowed > 0 then
    redis.call('ZREMRANGEBYSCORE', attempts, '-inf', now - window)
    if redis.call('ZCARD', attempts) >= allowed then return 'LIMITED ' .. rest(attempts, allowed, window) end
    redis.call('ZADD', attempts, now, a[8])
    redis.call('PEXPIRE', attempts, window)
  end
  return redis.call('EXISTS', misses) == 1 and 'OK_AFTER_MISSES' or 'OK'
end

local replies = {}
for i = 1, #KEYS / 3 do
  local k, a = i * 3 - 2, { unpack(ARGV, i * 10 - 9, i * 10) }
  local ok, reply = pcall(attempt, KEYS[k], KEYS[k + 1], KEYS[k + 2], a)
  replies[i] = ok and reply or ('FAULT ' .. tostring(reply))
end
return replies
