#!lua
-- Records the units left of what a room leads to, and the units that one visitor takes on average.
-- KEYS  1 state of the room
-- ARGV  1 units left  2 units that one visitor takes, or '' to learn it: the units that the stock has become
--       fewer by since the first report, per visitor that has entered since; 1 until 20 have entered
-- Reply: the units that one visitor takes
--@include fairgate/catalog/include/fields.lua
local call = redis.call
local STATE = KEYS[1]
local LEFT = tonumber(ARGV[1])
local TOLD = ARGV[2]
local ENOUGH = 20
local MIN_SHARE = 0.01
local MAX_SHARE = 100

local state = read_fields(STATE, 'stock_left', 'stock_sold', 'stock_since', 'entered')
local entered = tonumber(state.entered or '0')
local since = entered
local sold = 0
if state.stock_left then
  since = tonumber(state.stock_since or entered)
  sold = tonumber(state.stock_sold or '0') + math.max(0, tonumber(state.stock_left) - LEFT)
end

local function learned()
  local visitors = entered - since
  if visitors < ENOUGH then
    return 1
  end
  return math.min(MAX_SHARE, math.max(MIN_SHARE, sold / visitors))
end

local share = TOLD ~= '' and TOLD or string.format('%.4f', learned())
call('HSET', STATE, 'stock_left', ARGV[1], 'stock_sold', sold, 'stock_since', since, 'stock_share', share)
return share
