#!lua
-- Marks the tickets of one block as gone that were not seen in a period, which has just begun, and the two
-- before it, behind the cursor as well.
-- KEYS  1 state of the room  2 a key for the run; the bitmaps are built from the prefix and lie in the same
--       slot.
-- ARGV  1 prefix  2 period  3 block
-- Reply: the number of tickets that are gone now and were not before
--@include fairgate/catalog/include/fields.lua
--@include fairgate/room/include/tickets.lua
--@include fairgate/room/include/periods.lua
local call = redis.call
local STATE, ABSENT = unpack(KEYS)
local PREFIX = ARGV[1]
local PERIOD = tonumber(ARGV[2])
local BLOCK_NUMBER = tonumber(ARGV[3])
local BYTES = BLOCK / 8

local gone = gone_key(PREFIX, BLOCK_NUMBER)
local state = read_fields(STATE, 'next', 'cursor', 'swept')
local next_ticket = tonumber(state.next or '0')
local cursor = tonumber(state.cursor or '0')
local in_block = math.max(0, math.min(BLOCK, next_ticket - BLOCK_NUMBER * BLOCK))

-- The tickets of whole bytes: absent = not (seen in one of three periods, or in the next one, which has begun
-- if this run is late).
local function find_absent()
  local seen = {}
  for period = PERIOD - 2, PERIOD + 1 do
    seen[#seen + 1] = here_key(PREFIX, period, BLOCK_NUMBER)
  end
  call('BITOP', 'OR', ABSENT, unpack(seen))
  if call('STRLEN', ABSENT) < BYTES then
    call('SETRANGE', ABSENT, BYTES - 1, '\0')
  end
  call('BITOP', 'NOT', ABSENT, ABSENT)
end

-- Tickets from this one on do not exist yet.
local function keep_tail(from)
  local whole = math.floor(from / 8)
  for bit = from, math.min(BLOCK, whole * 8 + 8) - 1 do
    call('SETBIT', ABSENT, offset_of(bit), 0)
  end
  local bytes = BYTES - math.ceil(from / 8)
  if bytes > 0 then
    call('SETRANGE', ABSENT, BYTES - bytes, string.rep('\0', bytes))
  end
end

-- Tickets behind the cursor have departed when their turn came.
local function gone_ahead()
  local first = math.max(0, math.ceil((cursor - BLOCK_NUMBER * BLOCK) / 8))
  return first < BYTES and call('BITCOUNT', gone, first, -1) or 0
end

-- A late run would judge by a period whose presence is no longer kept, such as that of before a draw.
local is_late = tonumber(state.swept or '0') ~= PERIOD
if is_late or in_block == 0 or BLOCK_NUMBER < block_of(oldest_ticket) then
  return 0
end
local before = call('BITCOUNT', gone)
local ahead = gone_ahead()
find_absent()
keep_tail(in_block)
call('BITOP', 'OR', gone, gone, ABSENT)
call('DEL', ABSENT)
call('UNLINK', here_key(PREFIX, PERIOD - 2, BLOCK_NUMBER))
local departed = gone_ahead() - ahead
if departed > 0 then
  call('HINCRBY', STATE, 'departed', departed)
end
return call('BITCOUNT', gone) - before
