#!lua
-- Moves a waiting place that a decision has seated behind others, after a review or an appeal. It keeps its
-- arrival: in the front seat it is where it would have been. A repeat changes nothing.
-- KEYS  1 sale  2 waiting  3 places by device and account. Keys of sessions are built here from the prefix
--       and lie in the same slot.
-- ARGV  1 id of the decision  2 seat: '' for the order of arrival, 'behind' or 'held', see seats.lua
--       3 prefix of session keys
-- Reply 'MOVED session' | 'SAME session' (it has that seat) | 'NONE' (no waiting place of this decision)
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/places.lua
--@include fairgate/catalog/include/seats.lua
local call = redis.call
local SALE, WAITING, OWNERS = unpack(KEYS)
local DECISION, SEAT, SESSION_PREFIX = unpack(ARGV)

local function move(session_id, score, current)
  local key = SESSION_PREFIX .. session_id
  local arrival_us = math.floor((tonumber(score) - SEAT_OFFSETS[current]) * 1000 + 0.5)
  local moved = score_at(arrival_us, SEAT)
  call('ZADD', WAITING, moved, session_id)
  local tier = call('HGET', key, 'tier')
  if tier then
    call('ZADD', tier_queue(OWNERS, tier), moved, session_id)
  end
  if SEAT == '' then
    call('HDEL', key, 'seat')
  else
    call('HSET', key, 'seat', SEAT)
    call('HSET', SALE, 'seats', '1')
  end
end

local session_id = call('HGET', OWNERS, 'seat:' .. DECISION)
local score = session_id and call('ZSCORE', WAITING, session_id)
if not score or call('EXISTS', SESSION_PREFIX .. session_id) == 0 then
  return 'NONE'
end
local current = seat_of_score(score)
if current == SEAT then
  return 'SAME ' .. session_id
end
move(session_id, score, current)
return 'MOVED ' .. session_id
