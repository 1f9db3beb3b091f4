#!lua
-- Counts many calls at once: grants each item as many of its calls as all its limits allow, each call in all
-- of them or in none.
-- KEYS  the keys of all items, in the order of the items; at most 7,000
-- ARGV  1 JSON, parallel lists. By rule: [kinds] [p] [q] [bursts]
--           "r" p q burst: p/q µs a call, at most burst at once
--           "w" most period most: at most so many calls in any period, µs
--           "o" life 1 1: one call in its life, µs
--         [shapes], each the rules of one kind of item, one for each key; by item: [calls wanted] [its shape]
--       2 time, µs, after which nothing is counted, because the caller has given up; 0 for none
-- Reply 1 time of the run, µs
--       2 'LATE' when that was too late; else one text for each item that has something to tell: its number,
--       the
--         calls granted, or FAULT if one of its keys holds something else, and then for single limits
--           ' index:µs'     the limit is in the way: the wait for one call ("o": its life)
--           ' index=debt'   debt of a rate that lasts longer than a second, in 1/q µs
--         An item without a text was granted all its calls.
-- A key of a rate holds the time at which it will be idle, µs, and ':rest' in 1/q µs where that is not
-- whole; a key of a window holds the times of its calls, 7 bytes each. Times ahead of the clock are brought
-- back to it. Values that expire within a second are neither logged nor replicated.
local call, format = redis.call, string.format
local floor, ceil, min, max = math.floor, math.ceil, math.min, math.max
local SECOND = 1000000
local STAMP = 7
local kinds, p, q, bursts, shapes, wanted, shape_of = unpack(cjson.decode(ARGV[1]))
local latest = tonumber(ARGV[2])
local time = call('TIME')
local now = time[1] * SECOND + time[2]
local reply = { format('%.0f', now) }
if latest > 0 and now > latest then
  reply[2] = 'LATE'
  return reply
end

local values = call('MGET', unpack(KEYS))
local missing = {}
for i, key in ipairs(KEYS) do
  if not values[i] then
    missing[#missing + 1] = key
  end
end
-- MGET answers nil for a key of another type, too.
local other_types = #missing > 0 and call('EXISTS', unpack(missing)) > 0

-- One for each key, in the order of first use.
local counters = {}
local counter_of = {}

local function stamp_at(stamps, index)
  return (struct.unpack('>I7', stamps, index * STAMP + 1))
end

local function stamps_now(count)
  return string.rep(struct.pack('>I7', now), count)
end

-- How many of the stamps, which ascend, are not after `time`.
local function count_until(stamps, time)
  local low = 0
  local high = #stamps / STAMP
  while low < high do
    local middle = floor((low + high) / 2)
    if stamp_at(stamps, middle) <= time then
      low = middle + 1
    else
      high = middle
    end
  end
  return low
end

local function read_window(counter, value)
  local past = count_until(value, now)
  local ahead = #value / STAMP - past
  local stamps = string.sub(value, 1, past * STAMP) .. stamps_now(ahead)
  local expired = count_until(stamps, now - q[counter.rule])
  counter.stamps = string.sub(stamps, expired * STAMP + 1)
  counter.free = max(0, p[counter.rule] - #counter.stamps / STAMP)
  counter.changed = ahead > 0
end

local function read_rate(counter, value)
  local rule = counter.rule
  local most = p[rule] * bursts[rule]
  local idle, rest = string.match(value, '^(%d+):?(%d*)$')
  local debt = ((tonumber(idle) or 0) - now) * q[rule] + (tonumber(rest) or 0)
  counter.debt = min(most, max(0, debt))
  counter.free = floor((most - counter.debt) / p[rule])
  counter.changed = debt > most
end

local function read_once(counter)
  counter.debt = p[counter.rule]
  counter.free = 0
end

local function read_counter(index, rule)
  local counter =
    { rule = rule, key = KEYS[index], stamps = '', debt = 0, free = bursts[rule], changed = false }
  local value = values[index]
  if not value then
    if other_types and call('EXISTS', counter.key) > 0 then
      error('no string')
    end
  elseif kinds[rule] == 'w' then
    read_window(counter, value)
  elseif kinds[rule] == 'r' then
    read_rate(counter, value)
  else
    read_once(counter)
  end
  counters[#counters + 1] = counter
  counter_of[counter.key] = counter
  return counter
end

local function take(counter, calls)
  if kinds[counter.rule] == 'w' then
    counter.stamps = counter.stamps .. stamps_now(calls)
  else
    counter.debt = counter.debt + calls * p[counter.rule]
  end
  counter.free = counter.free - calls
  counter.changed = counter.changed or calls > 0
end

-- Until the limit lets one call pass, µs.
local function wait_for(counter)
  local rule = counter.rule
  if kinds[rule] == 'w' then
    return stamp_at(counter.stamps, #counter.stamps / STAMP - p[rule]) + q[rule] - now
  end
  return ceil((counter.debt + p[rule] - p[rule] * bursts[rule]) / q[rule])
end

local function is_long_rate(rule)
  return kinds[rule] == 'r' and p[rule] * bursts[rule] > q[rule] * SECOND
end

-- The counters of the item at hand; one table for all items.
local own = {}

-- Grants calls of one item. All its keys are read before the first is counted: a fault counts nothing.
-- Returns what the reply tells of the item; nil for nothing.
local function grant(want, rules, first_index)
  local granted = want
  for j = 1, #rules do
    local index = first_index + j - 1
    local counter = counter_of[KEYS[index]] or read_counter(index, rules[j])
    own[j] = counter
    granted = min(granted, counter.free)
  end
  local text
  for j = 1, #rules do
    local rule = rules[j]
    local counter = own[j]
    take(counter, granted)
    if granted < want and counter.free < 1 then
      text = format('%s %d:%.0f', text or granted, j, wait_for(counter))
    end
    if is_long_rate(rule) then
      text = format('%s %d=%.0f', text or granted, j, counter.debt)
    end
  end
  return text
end

local logs = true

local function write(counter)
  local rule = counter.rule
  local idle = now + q[rule]
  local value = counter.stamps
  if kinds[rule] ~= 'w' then
    idle = now + floor(counter.debt / q[rule])
    local rest = counter.debt % q[rule]
    value = format(rest == 0 and '%.0f' or '%.0f:%d', idle, rest)
  end
  local lasts = idle - now > SECOND
  if lasts ~= logs then
    logs = lasts
    redis.set_repl(lasts and redis.REPL_ALL or redis.REPL_NONE)
  end
  call('SET', counter.key, value, 'PXAT', format('%d', floor(idle / 1000)))
end

local next_index = 1
for item, want in ipairs(wanted) do
  local rules = shapes[shape_of[item]]
  local ok, text = pcall(grant, want, rules, next_index)
  if not ok then
    text = 'FAULT'
  end
  if text then
    reply[#reply + 1] = item .. ' ' .. text
  end
  next_index = next_index + #rules
end
for _, counter in ipairs(counters) do
  if counter.changed then
    write(counter)
  end
end
return reply
