#!lua
-- Grants each item as many of its calls as all its limits allow: each call in all of them or in none.
-- KEYS  the keys of all items, in their order; at most 7,000
-- ARGV  JSON, parallel lists. What limits keys, rule by rule: [kinds] [p] [q] [burst] [calls to take in advance]
--         "r" p q burst n: p/q µs a call, at most burst at once, and up to n more calls taken in advance;
--         "w" most period most 0: at most so many calls in any period, µs;  "o" life 1 1 0: one call in its life, µs
--       [[number of the rule of each key]] of each shape of items; item by item: [calls wanted] [number of its shape]
--       [what each key owes at least, 1/q µs] if some were counted elsewhere: then the reply tells what rates' keys owe
-- Reply  a text for each item but those granted all and nothing in advance: its number, calls granted (FAULT if one
--       of its keys holds something else); if fewer than wanted, ' index:µs' for each key in the way, with the wait
--       for one call ("o": its life); if all, ' index+calls' for what was taken in advance; ' index=owed' where asked
-- A rate's key holds when it will be idle, µs, and ':rest' in 1/q µs where p/q is not whole; a window's the times of its
-- calls, 7 bytes each. Times ahead of the clock are brought back to it. What is over within a second is not logged.
local call, floor, text, t, KEYS = redis.call, math.floor, string.format, redis.call('TIME'), KEYS
local kind, p, q, burst, more, shapes, wanted, shape, least = unpack(cjson.decode(ARGV[1]))
local now, values, missing, replies, k = t[1] * 1000000 + t[2], call('MGET', unpack(KEYS)), {}, {}, 0
local rule, state, free, dirty, first, mine, held, ends, debts, brief, unlogged = {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, false
for i, key in ipairs(KEYS) do if not values[i] then missing[#missing + 1] = key end end
local strange = #missing > 0 and call('EXISTS', unpack(missing)) > 0 -- what MGET passes over
local function stamp(s, i) return (struct.unpack('>I7', s, i * 7 + 1)) end
local function stamps(n) return string.rep(struct.pack('>I7', now), n) end
local function upto(s, time, low, high) -- how many times there are up to this one
  local mid = floor((low + high) / 2)
  return low >= high and low or stamp(s, mid) <= time and upto(s, time, mid + 1, high) or upto(s, time, low, mid)
end
local function load(i, r)
  local value, full = values[i], p[r] * burst[r]
  state[i], free[i] = kind[r] == 'w' and '' or 0, burst[r]
  if value and kind[r] == 'w' then
    local past = upto(value, now, 0, #value / 7)
    dirty[i], value = past < #value / 7, string.sub(value, 1, past * 7) .. stamps(#value / 7 - past)
    state[i] = string.sub(value, upto(value, now - q[r], 0, past) * 7 + 1)
    free[i] = math.max(0, p[r] - #state[i] / 7)
  elseif value then
    local idle, rest = string.match(value, '^(%d+):?(%d*)$')
    local debt = ((tonumber(idle) or 0) - now) * q[r] + (tonumber(rest) or 0)
    state[i] = kind[r] == 'r' and math.min(full, math.max(0, debt)) or full
    dirty[i] = kind[r] == 'r' and debt > full
  elseif strange and call('EXISTS', KEYS[i]) > 0 then error('no string') end
  if kind[r] == 'r' and least and least[i] > state[i] then state[i], dirty[i] = math.min(full, least[i]), true end
  first[KEYS[i]], rule[i], free[i] = i, r, kind[r] == 'w' and free[i] or floor((full - state[i]) / p[r])
  return i
end
local function wait(i, r)
  return kind[r] == 'w' and stamp(state[i], #state[i] / 7 - p[r]) + q[r] - now or math.ceil((state[i] + p[r] - p[r] * burst[r]) / q[r])
end
local function judge(want, rules)
  local granted, reply = want, nil
  for j = 1, #rules do
    local i = first[KEYS[k + j]] or load(k + j, rules[j])
    mine[j], granted = i, free[i] < granted and free[i] or granted
  end
  for j, r in ipairs(rules) do
    local i, n = mine[j], granted
    if more[r] > 0 and granted == want then n = n + math.min(free[i] - n, more[r]) end
    state[i] = kind[r] == 'w' and state[i] .. stamps(n) or state[i] + n * p[r]
    free[i], dirty[i] = free[i] - n, dirty[i] or n > 0
    if n > granted then reply = text('%s %d+%d', reply or granted, j, n - granted) end
    if granted < want and free[i] < 1 then reply = text('%s %d:%.0f', reply or granted, j, wait(i, r)) end
    if least and kind[r] == 'r' then reply = text('%s %d=%.0f', reply or granted, j, state[i]) end
  end
  return reply
end
for item, want in ipairs(wanted) do
  local ok, reply = pcall(judge, want, shapes[shape[item]])
  if reply then replies[#replies + 1] = item .. ' ' .. (ok and reply or 'FAULT') end
  k = k + #shapes[shape[item]]
end
for i, key in ipairs(KEYS) do
  local r, debt = rule[i], state[i]
  if dirty[i] and debts[r] ~= debt then -- what callers hold who had nothing is alike
    local idle, rest = now + (kind[r] == 'w' and q[r] or floor(debt / q[r])), kind[r] == 'w' or debt % q[r]
    held[r] = kind[r] == 'w' and debt or text(rest == 0 and '%.0f' or '%.0f:%d', idle, rest)
    debts[r], ends[r], brief[r] = debt, floor(idle / 1000) .. '', idle - now <= 1000000
  end
  if dirty[i] and brief[r] ~= unlogged then unlogged = brief[r] redis.set_repl(unlogged and redis.REPL_NONE or redis.REPL_ALL) end
  if dirty[i] then call('SET', key, held[r], 'PXAT', ends[r]) end
end
return replies
