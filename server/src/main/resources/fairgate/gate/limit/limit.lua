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
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local limits, loaded, replies, rate, window, once, k, a = {}, {}, {}, {}, {}, {}, 0, 0
function rate.load(l, value)
  local idle, rest = string.match(value or '', '^(%d+):?(%d*)$')
  local ahead = idle and idle - now or -1
  l.debt, l.full = ahead < 0 and 0 or ahead * l.q + (tonumber(rest) or 0), l.p * l.burst
  if l.debt > l.full then l.debt, l.changed = l.full, true end
  l.free = math.floor((l.full - l.debt) / l.p)
end
function rate.wait(l) return math.ceil((l.debt + (l.taken + 1) * l.p - l.full) / l.q) end
function rate.save(l)
  local debt = l.debt + l.taken * l.p
  local rest, idle = debt % l.q, now + math.floor(debt / l.q)
  return rest == 0 and idle or string.format('%.0f:%d', idle, rest), debt / l.q
end
local function stamp(s, i) return (struct.unpack('>I7', s, i * 7 + 1)) end
local function stamps(n) return string.rep(struct.pack('>I7', now), n) end
local function upto(s, time) -- how many times there are up to this one
  local low, high = 0, #s / 7
  while low < high do
    local mid = math.floor((low + high) / 2)
    if stamp(s, mid) <= time then low = mid + 1 else high = mid end
  end
  return low
end
function window.load(l, value)
  local s, past = value or '', upto(value or '', now)
  if past < #s / 7 then s, l.changed = string.sub(s, 1, past * 7) .. stamps(#s / 7 - past), true end
  l.times = string.sub(s, upto(s, now - l.q) * 7 + 1)
  l.free = math.max(0, l.p - #l.times / 7)
end
function window.wait(l) return stamp(window.save(l), #l.times / 7 + l.taken - l.p) + l.q - now end
function window.save(l) return l.times .. stamps(l.taken), l.q end
function once.load(l, value) l.free = value and 0 or 1 end
function once.wait() return -1 end function once.save(l) return 1, l.p end
local kinds = { r = rate, w = window, o = once }
local function limit(key, kind, p, q, burst)
  local l = { key = key, kind = kinds[kind], p = tonumber(p), q = tonumber(q), burst = burst, taken = 0 }
  l.kind.load(l, redis.call('GET', key))
  limits[key], loaded[#loaded + 1] = l, l
  return l
end
local function judge(want, count)
  local granted, mine, reply = want, {}, {}
  for i = 1, count do
    mine[i] = limits[KEYS[k + i]] or limit(KEYS[k + i], unpack(ARGV, a + 5 * i - 2, a + 5 * i + 1))
    granted = math.min(granted, mine[i].free)
  end
  for i, l in ipairs(mine) do
    local more = granted < want and 0 or math.min(l.free - granted, ARGV[a + 5 * i + 2])
    l.free, l.taken = l.free - granted - more, l.taken + granted + more
    if more > 0 then reply[#reply + 1] = ' ' .. i .. '+' .. more end
    if granted < want and l.free < 1 then reply[#reply + 1] = string.format(' %d:%.0f', i, l.kind.wait(l)) end
  end
  return granted .. table.concat(reply)
end
while a < #ARGV do
  local count = tonumber(ARGV[a + 2])
  local ok, reply = pcall(judge, tonumber(ARGV[a + 1]), count)
  replies[#replies + 1] = ok and reply or ('FAULT ' .. tostring(reply))
  k, a = k + count, a + 2 + count * 5
end
for _, l in ipairs(loaded) do
  if l.taken > 0 or l.changed then
    local value, life = l.kind.save(l)
    redis.call('SET', l.key, value, 'PX', math.max(1, math.ceil(life / 1000)))
  end
end
return replies
