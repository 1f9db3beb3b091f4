#!lua
-- Lets visitors in who come while the room is on standby, and counts them: too many turn it on. One run
-- handles many.
-- KEYS  1 state of the room  2 inside; all other keys are built from the prefix and lie in the same slot.
-- ARGV  1 prefix  2 capacity  3 ms from now at which a visit ends, then one argument per visitor, not used
-- Reply per visitor: 'PASS ticket' | 'FULL' (the room is on now) | 'ON' | 'NO_ROOM'; then, as last element,
--       the epoch
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/room/include/tickets.lua
--@include fairgate/room/include/slots.lua
local call = redis.call
local STATE, INSIDE = unpack(KEYS)
local PREFIX = ARGV[1]
local CAPACITY = tonumber(ARGV[2])
local LASTS_MS = tonumber(ARGV[3])
local SHARED_ARGS = 3
local COUNTER_SECONDS = 10

local now = now_ms()
local state = read_fields(STATE, 'phase', 'active', 'next', 'cursor', 'epoch')
local ticket = tonumber(state.next or '0')
local visitors = #ARGV - SHARED_ARGS
local free = free_slots(PREFIX, CAPACITY)

local function count_arrivals()
  local key = string.format('%sarrivals:%d', PREFIX, math.floor(now / 1000))
  call('INCRBY', key, visitors)
  call('EXPIRE', key, COUNTER_SECONDS)
end

local function let_in()
  if not state.phase then
    return 'NO_ROOM'
  end
  if state.phase ~= 'off' or tonumber(state.cursor) < tonumber(state.next or '0') then
    return 'ON'
  end
  if free < 1 then
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
local before = ticket
local replies = {}
for i = 1, visitors do
  replies[i] = let_in()
end
if ticket > before then
  call('HSET', STATE, 'next', string.format('%d', ticket), 'cursor', string.format('%d', ticket))
end
replies[#replies + 1] = state.epoch or '0'
return replies
