#!lua
-- Puts the tickets from before the opening into the drawn order: replaces their bitmaps of gone tickets.
-- KEYS  1 state of the room; the bitmaps are built from the prefix and lie in the same slot.
-- ARGV  1 prefix  2 number of drawn tickets  3 seed, hex  4 ms of a period of presence, then one bitmap per
--       block in hex, for the drawn tickets in their new order
-- Reply: 'DRAWN' | 'AGAIN' (another node was first)
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/room/include/tickets.lua
local call = redis.call
local STATE = KEYS[1]
local PREFIX = ARGV[1]
local COUNT = tonumber(ARGV[2])
local SEED = ARGV[3]
local PERIOD_MS = tonumber(ARGV[4])
local SHARED_ARGS = 4

local function bytes_of(hex)
  return (string.gsub(hex, '%x%x', function(pair)
    return string.char(tonumber(pair, 16))
  end))
end

local state = read_fields(STATE, 'drawn', 'sealed')
if state.drawn or tonumber(state.sealed or '0') ~= COUNT then
  return 'AGAIN'
end
for i = 1, #ARGV - SHARED_ARGS do
  call('SETRANGE', gone_key(PREFIX, i - 1), 0, bytes_of(ARGV[SHARED_ARGS + i]))
end
local now = now_ms()
local period = math.floor(now / PERIOD_MS)
-- Presence was recorded by the old order.
for old = period - 3, period do
  for block = 0, block_of(COUNT - 1) do
    call('UNLINK', here_key(PREFIX, old, block))
  end
end
call('HSET', STATE, 'drawn', COUNT, 'seed', SEED, 'steady_since', now)
return 'DRAWN'
