#!lua
-- Lets the visitor with a ticket in whose turn has come: gives a slot and a turn.
-- KEYS  1 state of the room  2 inside  3 reserved by ticket  4 due  5 turns  6 times of exchanges; others are
--       built from the prefix.
-- ARGV  1 prefix  2 epoch  3 ticket  4 id of the turn  5 ms for which the turn is valid  6 capacity 7
--       admissions per second
-- Reply: 'ENTER' | 'INSIDE' (it has entered before) | 'NOT_YET cursor' | 'WAIT' (its turn came earlier and
--       its slot is taken; it is the next to get one) | 'GONE' | 'OFF' | 'ENDED' | 'EPOCH' | 'BUSY' (the
--       order was drawn just now) | 'NO_ROOM'
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/room/include/tickets.lua
--@include fairgate/room/include/slots.lua
local call = redis.call
local STATE, INSIDE, ORDER, DUE, TURNS, EXCHANGED = unpack(KEYS)
local PREFIX, EPOCH, TICKET, TURN = unpack(ARGV, 1, 4)
local TURN_MS = tonumber(ARGV[5])
local CAPACITY = tonumber(ARGV[6])
local RATE = tonumber(ARGV[7])
local KNOWN_DRAWN = tonumber(ARGV[8])

local now = now_ms()
local ticket = tonumber(TICKET)
local state = read_fields(STATE, 'phase', 'epoch', 'cursor', 'tokens', 'tokens_at', 'drawn')

local function refusal()
  if not state.phase then
    return 'NO_ROOM'
  end
  if state.epoch ~= EPOCH then
    return 'EPOCH'
  end
  if tonumber(state.drawn or '0') ~= KNOWN_DRAWN then
    return 'BUSY'
  end
  if state.phase == 'off' then
    return 'OFF'
  end
  if state.phase == 'ended' then
    return 'ENDED'
  end
end

-- A free slot, if the rate allows it and no smaller ticket waits for one.
local function take_free_slot()
  local allowed = admissions_allowed(state, RATE, now)
  local first = call('ZRANGE', DUE, 0, 0)[1]
  if allowed < 1 or free_slots(PREFIX, CAPACITY) < 1 or (first and tonumber(first) < ticket) then
    return false
  end
  keep_admissions(STATE, allowed - 1, now)
  return true
end

-- The slot of the largest ticket that has not entered yet. It is the next to get another one.
local function take_slot_of_larger()
  local largest = call('ZREVRANGE', ORDER, 0, 0)[1]
  if not largest or tonumber(largest) < ticket then
    return false
  end
  unreserve(PREFIX, largest)
  call('ZADD', DUE, largest, largest)
  return true
end

-- For a ticket whose reservation is over. Returns a refusal, or nil when it has a slot now.
local function come_late()
  if state.phase ~= 'open' or not (take_free_slot() or take_slot_of_larger()) then
    call('ZADD', DUE, ticket, TICKET)
    return 'WAIT'
  end
end

-- A turn that was not used yet is replaced: only the last one is valid. The answer to an exchange can be
-- lost, so a visitor may repeat it, in its own slot and for as long as a turn is valid.
local function may_have_turn_again()
  local exchanged_at = tonumber(call('HGET', EXCHANGED, TICKET) or '0')
  return call('HEXISTS', TURNS, TICKET) == 1 or now - exchanged_at < TURN_MS
end

local function hand_out_turn()
  call('HSET', TURNS, TICKET, TURN)
  return 'ENTER'
end

local function enter()
  if call('ZSCORE', INSIDE, TICKET) then
    return may_have_turn_again() and hand_out_turn() or 'INSIDE'
  end
  -- The opening may be moved when turns have come: nobody enters before it.
  if state.phase == 'before' or ticket >= tonumber(state.cursor) then
    return 'NOT_YET ' .. state.cursor
  end
  local is_reserved = unreserve(PREFIX, TICKET)
  if is_gone(PREFIX, ticket) then
    call('ZREM', DUE, TICKET)
    return 'GONE'
  end
  if not is_reserved then
    local refused = come_late()
    if refused then
      return refused
    end
  end
  call('ZREM', DUE, TICKET)
  -- A turn that is given again does not prolong the visit: without a pass nobody keeps a slot for longer.
  call('ZADD', INSIDE, now + TURN_MS, TICKET)
  return hand_out_turn()
end

return refusal() or enter()
