#!lua
-- Records that waiting visitors are present or have left; one run handles many.
-- KEYS  1 state of the room; all other keys are built from the prefix and lie in the same slot.
-- ARGV  1 prefix  2 ms of a period of presence  3 number of drawn tickets that the caller knows, then one
--       text per request: 'here ticket' or 'leave ticket'
-- Reply per request: 'HERE' | 'LEFT' | 'GONE' (it had left, was absent too long, or has entered; or it leaves
--       and Redis has lost it) | 'BUSY' (the order is being drawn) | 'NO_ROOM' (or Redis has lost the ticket:
--       its visitor waits on, and the numbers come again) | 'FAULT message'; then, as last element, the
--       cursor
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/room/include/tickets.lua
--@include fairgate/room/include/periods.lua
--@include fairgate/room/include/slots.lua
local call = redis.call
local STATE = KEYS[1]
local PREFIX = ARGV[1]
local PERIOD_MS = tonumber(ARGV[2])
local KNOWN_DRAWN = tonumber(ARGV[3])
local SHARED_ARGS = 3

local now = now_ms()
local state = read_fields(STATE, 'phase', 'next', 'cursor', 'drawing', 'drawn', 'period',
  'period_at')
local cursor = tonumber(state.cursor or '0')
local next_ticket = tonumber(state.next or '0')
local is_order_known = tonumber(state.drawn or '0') == KNOWN_DRAWN
-- The draw begins presence anew.
local is_drawing = state.drawing and not state.drawn
local period = state.phase and period_of_contact(STATE, state, now, PERIOD_MS)

local function here(ticket)
  if is_gone(PREFIX, ticket) then
    return 'GONE'
  end
  if is_order_known and not is_drawing then
    keep_present(PREFIX, period, ticket)
  end
  return 'HERE'
end

local function leave(ticket)
  if is_drawing or not is_order_known then
    return 'BUSY'
  end
  if call('ZSCORE', PREFIX .. 'inside', ticket) or not mark_gone(PREFIX, ticket) then
    return 'GONE'
  end
  unreserve(PREFIX, ticket)
  call('ZREM', PREFIX .. 'due', ticket)
  if ticket >= cursor then
    call('HINCRBY', STATE, 'departed', 1)
  end
  return 'LEFT'
end

local function answer(text)
  local action, number = string.match(text, '^(%a+) (%d+)$')
  local ticket = tonumber(number)
  if not state.phase then
    return 'NO_ROOM'
  end
  if ticket >= next_ticket then
    return action == 'leave' and 'GONE' or 'NO_ROOM'
  end
  return action == 'leave' and leave(ticket) or here(ticket)
end

local replies = {}
for i = 1, #ARGV - SHARED_ARGS do
  local ok, reply = pcall(answer, ARGV[SHARED_ARGS + i])
  replies[i] = ok and reply or ('FAULT ' .. tostring(reply))
end
replies[#replies + 1] = tostring(cursor)
return replies
