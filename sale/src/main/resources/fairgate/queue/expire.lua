#!lua
-- Ends the places whose purchase window is over and, once the sale is closed, all places. Windows that run
-- when the sale ends by `closes_at` last until their end.
-- KEYS  1 sale  2 waiting  3 active  4 ready  5 places by device and account
-- ARGV  1 prefix of session keys  2 prefix of purchase locks  3 maximum number of places to end in this run.
--       Keys of sessions found here are built from the prefixes and lie in the same slot.
-- Reply {places ended by their window, places ended by the end of the sale, more to do (0/1), state of the
--       sale, now in ms, places left, ms until the clock changes the state or -1}
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
local call = redis.call
local SALE, WAITING, ACTIVE, READY, OWNERS = unpack(KEYS)
local SESSION_PREFIX, LOCK_PREFIX, MAX_PLACES = ARGV[1], ARGV[2], tonumber(ARGV[3])

local now = now_ms()
local sale = read_fields(SALE, 'state', 'opens_at', 'closes_at', 'paused_ms', 'paused_at')
local state, pause = sale_by_clock(sale, now)
local last_windows = windows_outlast_sale(sale, state)

local function forget_owner(owner, session_id)
  if call('HGET', OWNERS, owner) == session_id then
    call('HDEL', OWNERS, owner)
  end
end

-- A session hash that is gone is not written: that would create one that never ends.
local function end_session(session_id, reason)
  local key = SESSION_PREFIX .. session_id
  local session = read_fields(key, 'queue_status', 'device', 'user')
  forget_owner(session.device or '', session_id)
  forget_owner(session.user or '', session_id)
  call('DEL', LOCK_PREFIX .. session_id)
  if session.queue_status then
    call('HSET', key, 'queue_status', 'expired', 'ended', reason, 'queue_position_waiting', '-1',
      'queue_position_active', '-1')
  end
end

local function end_missed_windows()
  local session_ids = call('ZRANGEBYSCORE', READY, '-inf', now - pause, 'LIMIT', 0, MAX_PLACES)
  for _, session_id in ipairs(session_ids) do
    call('ZREM', READY, session_id)
    call('ZREM', ACTIVE, session_id)
    end_session(session_id, 'window')
  end
  if #session_ids > 0 then
    call('HINCRBY', SALE, 'missed', #session_ids)
  end
  return #session_ids
end

-- Ends up to `limit` of the first places of a queue and returns their number.
local function end_first_places(queue, limit)
  local members_and_scores = call('ZPOPMIN', queue, limit)
  for i = 1, #members_and_scores, 2 do
    local session_id = members_and_scores[i]
    call('ZREM', ACTIVE, session_id)
    end_session(session_id, 'closed')
  end
  return #members_and_scores / 2
end

local function end_all_places()
  local ended = 0
  for _, queue in ipairs({ READY, ACTIVE, WAITING }) do
    ended = ended + end_first_places(queue, math.max(0, MAX_PLACES - ended))
  end
  return ended
end

-- Keeps the places whose windows still run: the ready ones are the first of active.
local function end_places_without_window(limit)
  local in_ready = call('ZCARD', READY)
  local session_ids = call('ZRANGE', ACTIVE, in_ready, in_ready + limit - 1)
  for _, session_id in ipairs(session_ids) do
    call('ZREM', ACTIVE, session_id)
    end_session(session_id, 'closed')
  end
  local ended = #session_ids
  if limit > ended then
    ended = ended + end_first_places(WAITING, limit - ended)
  end
  return ended
end

local function end_places_of_closed_sale(limit)
  if not last_windows then
    return end_all_places()
  end
  return limit > 0 and end_places_without_window(limit) or 0
end

local function ms_until_state_changes()
  local opens_at = tonumber(sale.opens_at or '0')
  local closes_at = tonumber(sale.closes_at or '0')
  if state == 'scheduled' and opens_at > now then
    return opens_at - now
  end
  if state ~= 'closed' and closes_at > now then
    return closes_at - now
  end
  return -1
end

if not state then
  return { 0, 0, 0, 'unknown', now, 0, -1 }
end
local missed = 0
local ended = 0
if state == 'open' or last_windows then
  missed = end_missed_windows()
end
if state == 'closed' then
  ended = end_places_of_closed_sale(MAX_PLACES - missed)
end
local more = missed + ended >= MAX_PLACES and 1 or 0
local places_left = call('ZCARD', WAITING) + call('ZCARD', ACTIVE)
return { missed, ended, more, state, now, places_left, ms_until_state_changes() }
