#!lua
-- Lets visitors in who come while the room is on standby, and counts them: too many turn it on. One run
-- handles many.
-- KEYS  1 state of the room  2 inside; all other keys are built from the prefix and lie in the same slot.
-- ARGV  1 prefix  2 capacity  3 ms from now at which a visit ends  4 ms of a period of presence  5-7 visits
--       of an address, a network and a wider network in the time of 3 before the room turns on, 0 =
--       unlimited, then one argument per visitor: hashes of the networks, separated by spaces, from the
--       address to the widest; empty for none
-- Reply per visitor: 'PASS ticket' | 'FULL' (the room is on now: it is full, or too many came from the
--       network) | 'ON' | 'NO_ROOM'; then, as last element, the epoch
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/room/include/tickets.lua
--@include fairgate/room/include/periods.lua
--@include fairgate/room/include/slots.lua
local call = redis.call
local STATE, INSIDE = unpack(KEYS)
local PREFIX = ARGV[1]
local CAPACITY = tonumber(ARGV[2])
local LASTS_MS = tonumber(ARGV[3])
local PERIOD_MS = tonumber(ARGV[4])
local MAX_VISITS = { tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]) }
local SHARED_ARGS = 7
local COUNTER_SECONDS = 10

local now = now_ms()
local state = read_fields(STATE, 'phase', 'active', 'next', 'cursor', 'epoch', 'period', 'period_at')
local ticket = tonumber(state.next or '0')
local visitors = #ARGV - SHARED_ARGS
local free = free_slots(PREFIX, CAPACITY)

local function count_arrivals()
  local key = string.format('%sarrivals:%d', PREFIX, math.floor(now / 1000))
  call('INCRBY', key, visitors)
  call('EXPIRE', key, COUNTER_SECONDS)
end

local function visits_of(network)
  local key = PREFIX .. 'walkins:' .. network
  local visits = call('INCR', key)
  if visits == 1 then
    call('PEXPIRE', key, LASTS_MS)
  end
  return visits
end

-- One network must not take all slots: visitors without cookies get another one each time.
local function is_crowded(networks)
  local crowded = false
  local level = 0
  for network in string.gmatch(networks, '%S+') do
    level = level + 1
    local max = MAX_VISITS[level]
    crowded = max > 0 and visits_of(network) > max or crowded
  end
  return crowded
end

local function let_in(networks)
  if not state.phase then
    return 'NO_ROOM'
  end
  if state.phase ~= 'off' or tonumber(state.cursor) < tonumber(state.next or '0') then
    return 'ON'
  end
  if free < 1 or is_crowded(networks) then
    call('HSET', STATE, 'active', 1)
    return 'FULL'
  end
  free = free - 1
  mark_gone(PREFIX, ticket)
  call('ZADD', INSIDE, now + LASTS_MS, ticket)
  ticket = ticket + 1
  return string.format('PASS %d', ticket - 1)
end

count_arrivals()
if state.phase then
  period_of_contact(STATE, state, now, PERIOD_MS)
end
local before = ticket
local replies = {}
for i = 1, visitors do
  replies[i] = let_in(ARGV[SHARED_ARGS + i])
end
if ticket > before then
  call('HSET', STATE, 'next', string.format('%d', ticket), 'cursor', string.format('%d', ticket))
end
replies[#replies + 1] = state.epoch or '0'
return replies
