-- Seats of waiting places. The order of a queue is its score: the arrival in ms, plus an offset for places
-- that the risk of their join seats behind all others, and a larger one for places that wait for a review.
-- `admit.lua` does not admit the latter. Both are far longer than any arrival. The session has its seat in
-- the field `seat`, and the id of the decision in `decision`; the index of places has the session under
-- `seat:` and that id. The sale has the field `seats` once any place had such a seat.
local BEHIND_FROM = 3e12
local HELD_FROM = 6e12
local SEAT_OFFSETS = { [''] = 0, behind = BEHIND_FROM, held = HELD_FROM }

local function seat_of_score(score)
  local value = tonumber(score)
  if value >= HELD_FROM then
    return 'held'
  end
  return value >= BEHIND_FROM and 'behind' or ''
end

-- The score of an arrival, in whole microseconds, at a seat.
local function score_at(arrival_us, seat)
  return string.format('%d.%03d', math.floor(arrival_us / 1000) + SEAT_OFFSETS[seat], arrival_us % 1000)
end
