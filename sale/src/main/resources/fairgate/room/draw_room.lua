#!lua
-- Puts the tickets from before the opening into the drawn order: replaces their bitmaps of gone tickets.
-- Called twice: first without bitmaps, after which no ticket becomes gone, then with those of the new order.
-- Without a seed, before that, only the number of tickets is kept.
-- KEYS  1 state of the room; the bitmaps are built from the prefix and lie in the same slot.
-- ARGV  1 prefix  2 number of drawn tickets, which is kept even if the room has sealed another one  3 seed,
--       hex, may be empty  4 epoch in which they were sealed  5 '1' if the draw was announced in public, then
--       one bitmap per block in hex, for the drawn tickets in their new order
-- Reply: 'KEPT' | 'BEGUN' | 'DRAWN' | 'AGAIN' (another node was first, or the room has lost its state)
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/room/include/tickets.lua
--@include fairgate/room/include/periods.lua
local call = redis.call
local STATE = KEYS[1]
local PREFIX = ARGV[1]
local COUNT = tonumber(ARGV[2])
local SEED = ARGV[3]
local EPOCH = ARGV[4]
local IS_ANNOUNCED = ARGV[5] == '1'
local SHARED_ARGS = 5

local function bytes_of(hex)
  return (string.gsub(hex, '%x%x', function(pair)
    return string.char(tonumber(pair, 16))
  end))
end

local state = read_fields(STATE, 'drawn', 'sealed_epoch', 'period', 'next')
if state.drawn or state.sealed_epoch ~= EPOCH then
  return 'AGAIN'
end
-- After a failover Redis may lack the last tickets; their numbers are not given again.
local next_ticket = string.format('%d', math.max(COUNT, tonumber(state.next or '0')))
if SEED == '' then
  call('HSET', STATE, 'sealed', COUNT, 'next', next_ticket)
  return 'KEPT'
end
if #ARGV == SHARED_ARGS then
  call('HSET', STATE, 'drawing', 1)
  return 'BEGUN'
end
for i = 1, #ARGV - SHARED_ARGS do
  call('SETRANGE', gone_key(PREFIX, i - 1), 0, bytes_of(ARGV[SHARED_ARGS + i]))
end
-- Presence was recorded by the old order.
local period = tonumber(state.period or '0')
for old = period - 3, period do
  for block = 0, block_of(COUNT - 1) do
    call('UNLINK', here_key(PREFIX, old, block))
  end
end
call('HSET', STATE, 'drawn', COUNT, 'seed', SEED, 'sealed', COUNT, 'next', next_ticket)
-- Heads name the announcement, whatever the settings say later.
if IS_ANNOUNCED then
  call('HSET', STATE, 'drawn_epoch', EPOCH)
end
begin_first_period(STATE, period + 1, now_ms())
return 'DRAWN'
