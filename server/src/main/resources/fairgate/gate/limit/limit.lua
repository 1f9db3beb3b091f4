#!lua
-- Grants each item as many of its calls as all its limits allow: each call in all of them or in none.
-- KEYS  the keys of all items, in their order
-- ARGV  per item: calls wanted, number of its keys, then five for each key, which say what limits it:
--         'r' p q burst n: p/q µs a call, at most burst at once, and up to n more calls taken in advance;
--         'w' most period 0 0: at most so many calls in any period, µs;  'o' life 0 0 0: one call in its life, µs
-- Reply per item: calls granted; if fewer than wanted, ' index:µs' for each key in the way, with the wait for one
--       call (-1: until the key ends); if all, ' index+calls' for what was taken in advance
-- A rate's key holds when it will be idle, µs, and ':rest' in 1/q µs where p/q is not whole; a window's holds
-- the times of its calls, 7 bytes each. Times ahead of the clock, which stepped back, are brought back to it.
local floor, ceil, min, max, format = math.floor, math.ceil, math.min, math.max, string.format
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local values = redis.call('MGET', unpack(KEYS)) -- One look for all; a key of another type counts as none.
-- What is known of a limit, by the place of its key in KEYS; of a key that comes again, by its first place.
local first, loaded, replies = {}, {}, {}
local kind, p, q, free, taken, changed, debt, full, times = {}, {}, {}, {}, {}, {}, {}, {}, {}
local function stamp(s, i) return (struct.unpack('>I7', s, i * 7 + 1)) end
local function stamps(n) return string.rep(struct.pack('>I7', now), n) end
local function upto(s, time) -- how many times there are up to this one
  local low, high = 0, #s / 7
  while low < high do
    local mid = floor((low + high) / 2)
    if stamp(s, mid) <= time then low = mid + 1 else high = mid end
  end
  return low
end
local function rate(j, value, burst)
  local ahead, owed, most = -1, 0, p[j] * burst
  if value then
    local idle, rest = tonumber(value), 0
    if not idle then idle, rest = string.match(value, '^(%d+):(%d+)$') end
    ahead = idle and idle - now or -1
    if ahead >= 0 then owed = ahead * q[j] + rest end
  end
  if owed > most then owed, changed[j] = most, true end
  debt[j], full[j], free[j] = owed, most, floor((most - owed) / p[j])
end
local function window(j, value)
  local s = value or ''
  local past = upto(s, now)
  if past < #s / 7 then s, changed[j] = string.sub(s, 1, past * 7) .. stamps(#s / 7 - past), true end
  times[j] = string.sub(s, upto(s, now - q[j]) * 7 + 1)
  free[j] = max(0, p[j] - #times[j] / 7)
end
local function load(j, a) -- a: where ARGV begins to say what limits it
  kind[j], p[j], q[j], taken[j] = ARGV[a], tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2]), 0
  if kind[j] == 'r' then rate(j, values[j], ARGV[a + 3])
  elseif kind[j] == 'w' then window(j, values[j])
  else free[j] = values[j] and 0 or 1 end
  first[KEYS[j]], loaded[#loaded + 1] = j, j
  return j
end
local function wait(j)
  if kind[j] == 'r' then return ceil((debt[j] + (taken[j] + 1) * p[j] - full[j]) / q[j]) end
  if kind[j] == 'o' then return -1 end
  return stamp(times[j] .. stamps(taken[j]), #times[j] / 7 + taken[j] - p[j]) + q[j] - now
end
local function judge(k, a, want, count)
  local granted = want
  for i = 1, count do
    granted = min(granted, free[first[KEYS[k + i]] or load(k + i, a + 5 * i - 2)])
  end
  local reply = ''
  for i = 1, count do
    local j, more = first[KEYS[k + i]], 0
    if granted == want and ARGV[a + 5 * i + 2] ~= '0' then more = min(free[j] - granted, ARGV[a + 5 * i + 2]) end
    free[j], taken[j] = free[j] - granted - more, taken[j] + granted + more
    if more > 0 then reply = reply .. ' ' .. i .. '+' .. more end
    if granted < want and free[j] < 1 then reply = reply .. format(' %d:%.0f', i, wait(j)) end
  end
  return granted .. reply
end
local k, a, words = 0, 0, #ARGV
while a < words do
  local count = tonumber(ARGV[a + 2])
  local ok, reply = pcall(judge, k, a, tonumber(ARGV[a + 1]), count)
  replies[#replies + 1] = ok and reply or ('FAULT ' .. tostring(reply))
  k, a = k + count, a + 2 + count * 5
end
for i = 1, #loaded do
  local j = loaded[i]
  if taken[j] > 0 or changed[j] then
    local value, life = '1', p[j]
    if kind[j] == 'r' then
      local owed = debt[j] + taken[j] * p[j]
      local rest, idle = owed % q[j], now + floor(owed / q[j])
      value, life = format(rest == 0 and '%.0f' or '%.0f:%d', idle, rest), owed / q[j]
    elseif kind[j] == 'w' then
      value, life = times[j] .. stamps(taken[j]), q[j]
    end
    redis.call('SET', KEYS[j], value, 'PX', format('%d', max(1, ceil(life / 1000))))
  end
end
return replies
