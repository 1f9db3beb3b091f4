#!lua
-- Takes back what `limit.lua` counted for calls that were answered 503. A repeat for a window changes
-- nothing.
-- KEYS  one key a row; at most 7,000
-- ARGV  JSON, parallel lists, row by row: [kinds] [a] [b] [c], times in µs of Redis
--         "w": of the calls of time a, b stay at most;
--         "r": b, in 1/c µs, is owed less, if the key has not been idle since: a is when it would have been,
--         else nothing
-- Reply  how many keys were changed
-- What is over is not taken back: calls of later windows, and what later calls owe, stay as they are.
local call, floor, text, t = redis.call, math.floor, string.format, redis.call('TIME')
local kind, a, b, c = unpack(cjson.decode(ARGV[1]))
local now = t[1] * 1000000 + t[2]

local function without(stamps, time, keep)
  local stamp, left, seen = struct.pack('>I7', time), {}, 0
  for i = 1, #stamps, 7 do
    local one = string.sub(stamps, i, i + 6)
    if one == stamp then seen = seen + 1 end
    if one ~= stamp or seen <= keep then left[#left + 1] = one end
  end
  return table.concat(left)
end

local function put(key, value)
  if value == '' then
    call('DEL', key)
  else
    call('SET', key, value, 'KEEPTTL')
  end
  return 1
end

local function take_from_window(key, stamps, time, keep)
  local left = without(stamps, time, keep)
  return left == stamps and 0 or put(key, left)
end

local function take_from_rate(key, value, idle_then, less, q)
  local idle, rest = string.match(value, '^(%d+):?(%d*)$')
  if not idle or now >= idle_then then return 0 end
  local debt = (tonumber(idle) - now) * q + (tonumber(rest) or 0) - less
  if debt <= 0 then return put(key, '') end
  local over = debt % q
  return put(key, text(over == 0 and '%.0f' or '%.0f:%d', now + floor(debt / q), over))
end

local changed = 0
for i = 1, #kind do
  local key = KEYS[i]
  local value = call('TYPE', key).ok == 'string' and call('GET', key)
  if value and kind[i] == 'w' then
    changed = changed + take_from_window(key, value, a[i], b[i])
  elseif value then
    changed = changed + take_from_rate(key, value, a[i], b[i], c[i])
  end
end
return changed
