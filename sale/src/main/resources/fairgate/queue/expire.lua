#!lua
-- Ends the places whose purchase window is over, those of ready sessions that are absent and, once the sale
-- is closed, all places. Windows that run when the sale ends by `closes_at` last until their end. A missed
-- turn starts a pause. Records the pass, see sale_clock.lua.
-- KEYS  per item, a sale: 1 sale  2 waiting  3 active  4 ready  5 places by device and account
-- ARGV  1 maximum number of places to end in this run
--       per item: 1 prefix of session keys  2 prefix of purchase locks  3 whether a browser has reached this
--       node within a second (0/1)  4 whether to look for absent ready places (0/1)
--       Keys of sessions found here are built from the prefixes and lie in the same slot.
-- Reply per item, joined by '|': places ended by their window, places ended by the end of the sale, more
--       to do (0/1), state of the sale, now in ms, places left, ms until the clock changes the state or -1,
--       ready places ended by absence
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
--@include fairgate/catalog/include/places.lua
--@include fairgate/catalog/include/pauses.lua
--@include fairgate/catalog/include/missed_turns.lua
--@include fairgate/catalog/include/presence.lua
local call = redis.call
local SHARED_ARGS = 1
local KEYS_PER_ITEM = 5
local ARGS_PER_ITEM = 4

-- Ready sessions whose presence one run checks. Runs at other times check other ones.
local CHECKED_PER_RUN = 50
local CHECK_INTERVAL_MS = 100
-- The number of absent ones among them is unusual above both of these values. Then a part of the network has
-- probably failed, and sessions that were seen after they joined have twice the time.
local UNUSUAL_SHARE = 0.2
local UNUSUAL_COUNT = 5

-- A pass is recorded at most once in this time.
local RECORD_INTERVAL_MS = 1000

local now = now_ms()

-- The number of places that this run may still end.
local places_to_end = tonumber(ARGV[1])

-- The sale of the item, and what was read of it.
local SALE, WAITING, ACTIVE, READY, OWNERS, SESSION_PREFIX, LOCK_PREFIX, IS_REACHED, LOOKS_FOR_ABSENT
local sale, state, pause, last_windows

local function read_sale(item)
  SALE, WAITING, ACTIVE, READY, OWNERS = unpack(KEYS, KEYS_PER_ITEM * (item - 1) + 1, KEYS_PER_ITEM * item)
  SESSION_PREFIX, LOCK_PREFIX, IS_REACHED, LOOKS_FOR_ABSENT =
    unpack(ARGV, SHARED_ARGS + ARGS_PER_ITEM * (item - 1) + 1, SHARED_ARGS + ARGS_PER_ITEM * item)
  sale = read_fields(SALE, 'state', 'opens_at', 'closes_at', 'paused_ms', 'paused_at',
    'passed_at', 'cooldown_s',
    'presence_ms', 'show_up_ms', 'contact_at', 'reachable_since', 'steady_since', 'payment_ms',
    'places_ip', 'places_net', 'places_site', 'list_from')
  state, pause = sale_by_clock(sale, now)
  last_windows = windows_outlast_sale(sale, state)
end

-- Records this pass and, after an outage, adds it to the time for which sale time and payment time stood
-- still.
local function record_pass()
  local silence = now - tonumber(sale.passed_at or '0')
  if silence >= 0 and silence < RECORD_INTERVAL_MS then
    return
  end
  local outage = outage_ms(sale, now)
  if outage > 0 then
    call('HSET', SALE, 'paused_ms', string.format('%d', pause))
    call('HINCRBY', SALE, 'pay_paused_ms', payment_outage_ms(sale, now))
  end
  call('HSET', SALE, 'passed_at', string.format('%d', now))
end

-- A session hash that is gone is not written: that would create one that never ends.
local function end_session(session_id, reason)
  local key = SESSION_PREFIX .. session_id
  local session = read_fields(key, 'queue_status', unpack(PLACE_FIELDS))
  forget_place(OWNERS, session_id, session)
  call('DEL', LOCK_PREFIX .. session_id)
  if session.queue_status then
    call('HSET', key, 'queue_status', 'expired', 'ended', reason, 'queue_position_waiting', '-1',
      'queue_position_active', '-1')
  end
  return session
end

-- Nobody comes back before the pause is over, with this device or account.
local function pause_buyer(session)
  local event_prefix = string.match(SALE, '^(.*):sale$')
  local seconds = tonumber(sale.cooldown_s or '0')
  start_pause(event_prefix .. ':user:' .. (session.user or session.device) .. ':cooldown', seconds, 'missed')
  start_pause(event_prefix .. ':fp:' .. session.device .. ':cooldown', seconds, 'missed')
  local address = address_prefix(event_prefix, sale, session.networks)
  if address then
    start_pause(address .. ':cooldown', seconds, 'missed')
  end
end

local function end_turn(session_id, reason)
  call('ZREM', READY, session_id)
  call('ZREM', ACTIVE, session_id)
  local session = end_session(session_id, reason)
  if session.device then
    pause_buyer(session)
    record_missed_turn(SALE, sale, OWNERS, session.networks, now)
  end
end

-- The people of the waiting list wait without a session of the sale. They wait for nothing but its queue, so
-- the requests of any browser tell that the service can be reached.
local function record_reach()
  if sale.list_from and IS_REACHED == '1' then
    record_contact(SALE, sale, now)
  end
end

-- Time since a session was seen or its turn began, as multiple of a timeout; 0 while nobody could ask.
local function absence_by(timeout, reachable_since, since)
  local timeout_ms = tonumber(timeout or '0')
  if timeout_ms <= 0 or not is_reachable(sale.contact_at, timeout_ms, now) then
    return 0
  end
  return silence_since(since, reachable_since, now) / timeout_ms
end

-- Time for which a ready session is silent, as multiple of the timeout that counts; up to 1 it is present.
-- Until it is seen in its turn, that is the show-up timeout as well. A turn that was seen to begin ends for
-- absence only if others wait and the session is gone: an open page asks eight times per presence timeout, so
-- a session that is silent for all of it has no page open.
local function absence_of(session, others_wait)
  local seen = tonumber(session.seen or '0')
  local ready_at = tonumber(session.purchase_ready_at or '0')
  local since = math.max(seen, ready_at)
  local absence = others_wait and absence_by(sale.presence_ms, sale.reachable_since, since) or 0
  if seen < ready_at then
    absence = math.max(absence, absence_by(sale.show_up_ms, sale.steady_since, since))
  end
  return absence
end

-- Returns the absent ones among some of the ready sessions, by session id, and whether they are unusually
-- many.
local function find_absent()
  local in_ready = call('ZCARD', READY)
  local first = in_ready > CHECKED_PER_RUN
      and math.floor(now / CHECK_INTERVAL_MS) * CHECKED_PER_RUN % in_ready
    or 0
  local session_ids = call('ZRANGE', READY, first, first + CHECKED_PER_RUN - 1)
  local others_wait = sale.list_from or call('ZCARD', ACTIVE) > in_ready or call('ZCARD', WAITING) > 0
  local absent = {}
  local number = 0
  for _, session_id in ipairs(session_ids) do
    local session =
      read_fields(SESSION_PREFIX .. session_id, 'seen', 'verified_at', 'purchase_ready_at')
    local absence = absence_of(session, others_wait)
    if absence > 1 then
      absent[session_id] = { absence = absence, was_seen = session.seen ~= session.verified_at }
      number = number + 1
    end
  end
  return absent, number >= UNUSUAL_COUNT and number > UNUSUAL_SHARE * #session_ids
end

local function end_absent_turns()
  local absent, is_unusual = find_absent()
  local ended = 0
  for session_id, one in pairs(absent) do
    if one.absence > 2 or not (is_unusual and one.was_seen) then
      end_turn(session_id, 'no_show')
      ended = ended + 1
    end
  end
  return ended
end

local function end_missed_windows()
  local session_ids = call('ZRANGEBYSCORE', READY, '-inf', now - pause, 'LIMIT', 0, places_to_end)
  for _, session_id in ipairs(session_ids) do
    end_turn(session_id, 'window')
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
    ended = ended + end_first_places(queue, math.max(0, places_to_end - ended))
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

local function reply(missed, ended, more, places_left, absent)
  return string.format('%d|%d|%d|%s|%d|%d|%d|%d', missed, ended, more and 1 or 0, state or 'unknown', now,
    places_left, ms_until_state_changes(), absent)
end

local function pass(item)
  read_sale(item)
  if not state then
    return reply(0, 0, false, 0, 0)
  end
  local missed = 0
  local ended = 0
  local absent = 0
  if state == 'open' or last_windows then
    record_pass()
    record_reach()
    missed = end_missed_windows()
    absent = LOOKS_FOR_ABSENT == '1' and end_absent_turns() or 0
  end
  if state == 'closed' then
    ended = end_places_of_closed_sale(places_to_end - missed)
  end
  local more = missed + ended >= places_to_end
  places_to_end = places_to_end - missed - ended
  return reply(missed, ended, more, call('ZCARD', WAITING) + call('ZCARD', ACTIVE), absent)
end

local replies = {}
for item = 1, #KEYS / KEYS_PER_ITEM do
  local ok, result = pcall(pass, item)
  replies[item] = ok and result or ('FAULT ' .. tostring(result))
end
return replies
