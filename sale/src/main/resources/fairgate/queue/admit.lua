#!lua
-- Moves places forward: from waiting to active while stock is left, as far as capacity and rate allow, and
-- the first active ones to ready, no more than units are free. If there are more purchase windows than free
-- units, the last windows are closed: their places stay at the front of active, and get a whole window once
-- units are free again. Windows that are opened together begin at random moments within the sale's jitter, so
-- that they are not used in one instant, and the order of arrival does not decide who is first; a window that
-- is opened alone begins at once. Places of a tier are admitted first, as many as its units are enough for;
-- the others follow in order of arrival, as many as the units are enough for that are open to everybody.
-- Skips absent sessions and ends their places. A place whose network has missed a turn since it joined lets
-- others go first, once for each missed turn. Several nodes may run it: it reads and writes keys of one slot.
-- KEYS  1 sale  2 waiting  3 active  4 ready  5 places by device and account  6 stock
-- ARGV  1 prefix of session keys  2 prefix of purchase locks  3 maximum number of admissions, of new ready
--       places and of closed windows in this run; skipping stops there too, after a whole batch.  4 seed of
--       the random moments, 0 to 2^31 - 1.
--       Keys of sessions found here are built from the prefixes and lie in the same slot. Places that wait
--       for a review are not admitted, see seats.lua. Those behind others are not admitted in the first
--       seconds after the opening, and then only for units that no admitted place in front can still take.
--       Those that joined after the first person of the waiting list registered are not admitted as long as
--       this person can be served, see list_turn.lua.
-- Reply {state, number admitted, number skipped, more to do (0/1), now in ms, number of missing sessions if
--       it is unusually high, else 0; how long each admitted session has waited since it joined or since the
--       sale opened, if that was later, ms, separated by spaces; the waiting list was not told for seconds
--       (0/1); after which time each new window begins, ms, separated by spaces; then their sessions}.
--       Skipped ones were removed from waiting or active. While the number of missing ones is unusually high,
--       only sessions silent for twice the presence timeout are skipped.
-- The rate is GCRA in microseconds of Redis time, with a burst of 100 ms or one admission, if that is longer.
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
--@include fairgate/catalog/include/presence.lua
--@include fairgate/catalog/include/places.lua
--@include fairgate/catalog/include/tiers.lua
--@include fairgate/catalog/include/seats.lua
--@include fairgate/catalog/include/missed_turns.lua
local call = redis.call
local SALE, WAITING, ACTIVE, READY, OWNERS, STOCK = unpack(KEYS)
local SESSION_PREFIX, LOCK_PREFIX, MAX_MOVES, SEED = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local MAX_BATCH = 100
local BURST_US = 100000

-- Sessions at the front of each queue among which the missing ones are counted.
local SAMPLE = 100
-- A session is missing after this part of the presence timeout. Clients that ask as often as the server says
-- stay below it. The number of missing ones is unusual above both of the next values.
local MISSING_AFTER = 0.55
local UNUSUAL_SHARE = 0.2
local UNUSUAL_COUNT = 5
-- Weight of the earlier turns in the moving average of the time per turn.
local AVERAGE_KEEPS = 0.9
-- Most people come in this time after the opening. Programs are faster with their purchase than people, so
-- being admitted after them would not be enough.
local BEHIND_WAITS_MS = 10000
local BEHIND_LANE = 'behind'
-- The first person of the waiting list is told once a second.
local LIST_IS_OLD_MS = 5000

local us = now_us()
local now = math.floor(us / 1000)
local sale = read_fields(SALE, 'state', 'opens_at', 'closes_at', 'paused_ms', 'paused_at',
  'passed_at', 'capacity',
  'slots', 'rate', 'window_ms', 'jitter_ms', 'presence_ms', 'show_up_ms', 'contact_at',
  'reachable_since', 'steady_since',
  'tat', 'last_active', 'turn_at', 'turn_ms', 'priority', 'seats', 'max_quantity', 'shuffle',
  'held', 'list_from', 'list_units', 'list_told_at', 'pauses', 'last_join')
local state, pause = sale_by_clock(sale, now)
if state ~= 'open' then
  return { state or 'unknown', 0, 0, 0, now, 0, '', 0, '' }
end

local presence_ms = tonumber(sale.presence_ms)
local judges_presence = presence_ms > 0 and is_reachable(sale.contact_at, presence_ms, now)
local show_up_ms = tonumber(sale.show_up_ms or '0')
local judges_show_up = show_up_ms > 0 and is_reachable(sale.contact_at, show_up_ms, now)
local stock = tonumber(call('GET', STOCK) or '0')
local in_active = call('ZCARD', ACTIVE)
local in_ready = call('ZCARD', READY)
-- Units that only places of a tier may take: by tier, and their sum.
local tiers, reserved = settle_tiers(SALE, sale, stock, now)

local units_a_place = math.max(1, tonumber(sale.max_quantity or '1'))

-- The number of places whose buyers may take all that they are allowed of these units; a rest is for one.
local function places_for(units)
  return units > 0 and math.max(1, math.floor(units / units_a_place)) or 0
end

-- Presence

-- Time for which a session was not seen while the service could be reached, ms.
local function silence_of(seen)
  return silence_since(seen, sale.reachable_since, now)
end

-- Number of missing sessions at the front of the queues if it is unusually high, else 0. In that case a part
-- of the network has probably failed. Sessions silent for more than twice the timeout are ignored: they have
-- left.
local function count_unusual_missing()
  local missing = 0
  local present = 0
  for queue, first in pairs({ [WAITING] = 0, [ACTIVE] = in_ready }) do
    for _, session_id in ipairs(call('ZRANGE', queue, first, first + SAMPLE - 1)) do
      local silence = silence_of(call('HGET', SESSION_PREFIX .. session_id, 'seen'))
      if silence <= presence_ms * MISSING_AFTER then
        present = present + 1
      elseif silence <= presence_ms * 2 then
        missing = missing + 1
      end
    end
  end
  local unusual = missing >= UNUSUAL_COUNT and missing > UNUSUAL_SHARE * (missing + present)
  return unusual and missing or 0
end

-- Counted at most once per run; nil until then.
local unusual_missing

-- A session is absent after the presence timeout, or after twice that while an unusual share is missing.
local function is_absent(seen)
  local silence = silence_of(seen)
  if not judges_presence or silence <= presence_ms then
    return false
  end
  if silence > presence_ms * 2 then
    return true
  end
  unusual_missing = unusual_missing or count_unusual_missing()
  return unusual_missing == 0
end

-- True for an active session that was not seen since its admission, if that is longer ago than the show-up
-- timeout. While an unusual share is missing, sessions that were seen after they joined have twice the time.
local function misses_turn(session_id, session)
  if not judges_show_up then
    return false
  end
  local active_since = math.floor(tonumber(call('ZSCORE', ACTIVE, session_id) or '0'))
  if tonumber(session.seen or '0') > active_since then
    return false
  end
  local silence = silence_since(active_since, sale.steady_since, now)
  if silence <= show_up_ms then
    return false
  end
  if silence > show_up_ms * 2 or session.seen == session.verified_at then
    return true
  end
  unusual_missing = unusual_missing or count_unusual_missing()
  return unusual_missing == 0
end

-- Sessions

local function read_session(session_id)
  return read_fields(SESSION_PREFIX .. session_id, 'queue_status', 'seen', 'verified_at', 'gave_way_at',
    'seat', unpack(PLACE_FIELDS))
end

-- Does not write to a missing hash: HSET would create one without a TTL.
local function end_place(session_id, session)
  forget_place(OWNERS, session_id, session)
  if session.queue_status then
    call('HSET', SESSION_PREFIX .. session_id, 'queue_status', 'expired', 'ended', 'presence',
      'queue_position_waiting', '-1', 'queue_position_active', '-1')
  end
end

-- From waiting to active

local rate = tonumber(sale.rate)
local gap_us = rate > 0 and 1000000 / rate or 0
local burst_us = math.max(BURST_US, gap_us)

-- Computes with differences: a double that holds an absolute time in microseconds has no room for fractions.
local function read_debt_us()
  local debt = math.max(0, tonumber(sale.tat or '0') - us)
  -- A clock that stepped back, or an earlier slower rate, can leave more debt than a burst. Such a debt is
  -- dropped, because admission would stand still until it is over.
  return debt > burst_us + 1 and 0 or debt
end

local debt_us = read_debt_us()

local function count_admissions()
  if stock <= 0 then
    return 0
  end
  local allowed = math.min(tonumber(sale.capacity) - in_active, MAX_MOVES)
  if rate > 0 then
    allowed = math.min(allowed, math.floor((burst_us - debt_us) / gap_us + 0.000001))
  end
  return allowed
end

local admitted = 0
local skipped = 0
local waits = {}
-- Arrival in active in whole microseconds, see join.lua.
local last_active_us = math.floor(tonumber(sale.last_active or '0') * 1000 + 0.5)

-- Time in ms from joining, or from the opening if the session joined before it.
local function waited(session)
  local since = math.max(tonumber(session.verified_at or now), tonumber(sale.opens_at or '0'))
  return math.max(0, now - since)
end

local function admit(session_id, session, lane)
  last_active_us = math.max(us, last_active_us + 1)
  call('ZADD', ACTIVE, string.format('%.3f', last_active_us / 1000), session_id)
  call('HSET', SESSION_PREFIX .. session_id, 'queue_status', 'active', 'queue_position_waiting', '-1',
    'queue_position_active', in_active + admitted, 'admitted_at', now)
  if session.tier then
    call('ZREM', tier_queue(OWNERS, session.tier), session_id)
  end
  if lane then
    call('HSET', SESSION_PREFIX .. session_id, 'lane', lane)
    call('HINCRBY', OWNERS, 'lane:' .. lane, 1)
  end
  admitted = admitted + 1
  waits[admitted] = string.format('%d', waited(session))
end

-- Checks presence of the whole batch first: count_unusual_missing reads both queues, and would count a moved
-- session twice.
local function read_waiting_sessions(session_ids)
  local sessions = {}
  for i, session_id in ipairs(session_ids) do
    local session = read_session(session_id)
    session.can_enter = session.queue_status == 'waiting' and not is_absent(session.seen)
    sessions[i] = session
  end
  return sessions
end

local function admit_batch(session_ids, lane)
  for i, session in ipairs(read_waiting_sessions(session_ids)) do
    if session.can_enter then
      admit(session_ids[i], session, lane)
    else
      end_place(session_ids[i], session)
      skipped = skipped + 1
    end
  end
  call('ZREM', WAITING, unpack(session_ids))
  if lane then
    call('ZREM', tier_queue(OWNERS, lane), unpack(session_ids))
  end
end

-- The score from which on places come after the first person of the waiting list. Units that are not paid for
-- yet may come back for this person. What was told stays in force however old it is: who is next cannot be
-- asked without PostgreSQL, and nobody may overtake the list meanwhile.
local function end_of_earlier_places()
  if sale.list_from and stock + tonumber(sale.held or '0') >= tonumber(sale.list_units) then
    return tonumber(sale.list_from)
  end
  return HELD_FROM
end

local earlier_end = end_of_earlier_places()

local function first_places(queue, number, end_score)
  if not sale.seats and end_score >= BEHIND_FROM then
    return call('ZRANGE', queue, 0, number - 1)
  end
  return call('ZRANGEBYSCORE', queue, '-inf', '(' .. end_score, 'LIMIT', 0, number)
end

-- Admits up to `number` of the first places of a queue with lower scores than `end_score`: of waiting, or of
-- the queue of the tier `lane`.
local function admit_first(queue, number, end_score, lane)
  local last = admitted + number
  while admitted < last and skipped < MAX_MOVES do
    local first = first_places(queue, math.min(last - admitted, MAX_BATCH), end_score)
    if #first == 0 then
      break
    end
    admit_batch(first, lane)
  end
end

-- Admits places of tiers, and returns how many others may follow.
local function admit_tiers(allowed)
  local in_lanes = 0
  for lane, tier in ipairs(tiers) do
    local in_lane = tonumber(call('HGET', OWNERS, 'lane:' .. lane) or '0')
    local before = admitted
    local number = math.min(allowed - admitted, places_for(tier.left) - in_lane)
    admit_first(tier_queue(OWNERS, lane), number, HELD_FROM, lane)
    in_lanes = in_lanes + in_lane + admitted - before
  end
  return places_for(stock - reserved) - (in_active + admitted - in_lanes)
end

-- The number of places behind others that may be active at the same time as those in front.
local function room_behind()
  local opened_ms = now - pause - tonumber(sale.opens_at or '0')
  if opened_ms < BEHIND_WAITS_MS then
    return 0
  end
  local behind = tonumber(call('HGET', OWNERS, 'lane:' .. BEHIND_LANE) or '0')
  local in_front = in_active + admitted - behind
  if in_front == 0 then
    return math.huge
  end
  return math.floor(stock / units_a_place) - in_front - behind
end

-- Admits places behind others if no place in front waits any more.
local function admit_behind(number)
  if call('ZCOUNT', WAITING, '-inf', '(' .. BEHIND_FROM) == 0 then
    admit_first(WAITING, math.min(number, room_behind()), earlier_end, BEHIND_LANE)
  end
end

local function admit_waiting()
  local allowed = count_admissions()
  local others = allowed
  if reserved > 0 then
    others = admit_tiers(allowed)
  end
  others = admitted + math.min(others, allowed - admitted)
  admit_first(WAITING, others - admitted, math.min(BEHIND_FROM, earlier_end))
  if sale.seats then
    admit_behind(others - admitted)
  end
  if admitted > 0 then
    call('HSET', SALE, 'last_active', string.format('%.3f', last_active_us / 1000), 'tat',
      string.format('%.0f', us + math.ceil(debt_us + admitted * gap_us)))
    call('HINCRBY', SALE, 'admitted', admitted)
  end
end

-- From active to ready

local ready = {}
local delays = {}
local removed = 0
local gave_way = 0
local window_ms = tonumber(sale.window_ms)

-- The purchase lock is for tools that watch Redis; the purchase script decides by the window.
local function make_ready(session_id, delay_ms)
  -- In sale time, see sale_clock.lua.
  local window_ends = string.format('%d', now - pause + delay_ms + window_ms)
  call('ZADD', READY, window_ends, session_id)
  call('SET', LOCK_PREFIX .. session_id, window_ends, 'PX', delay_ms + window_ms)
  call('HSET', SESSION_PREFIX .. session_id, 'queue_status', 'ready_to_purchase', 'purchase_ready_at',
    now + delay_ms, 'purchase_timeout_at', window_ends)
  ready[#ready + 1] = session_id
  delays[#ready] = string.format('%d', delay_ms)
end

-- The place stays where it is in active. A session hash that is gone is not written.
local function close_window(session_id)
  local key = SESSION_PREFIX .. session_id
  call('ZREM', READY, session_id)
  call('DEL', LOCK_PREFIX .. session_id)
  if call('HDEL', key, 'purchase_ready_at', 'purchase_timeout_at') > 0 then
    call('HSET', key, 'queue_status', 'active')
  end
end

-- The ready ones are always the first of active: both leave together, and newcomers go to the end.
local function close_windows()
  local first = math.max(0, stock, in_ready - MAX_MOVES)
  local session_ids = call('ZRANGE', ACTIVE, first, in_ready - 1)
  for _, session_id in ipairs(session_ids) do
    close_window(session_id)
  end
  return #session_ids
end

-- Whether a turn of the session's network was missed since it joined or gave way.
local function must_give_way(session)
  local since = tonumber(session.gave_way_at or session.verified_at or '0')
  return sale.pauses and has_missed_turn_since(OWNERS, session.networks, since)
end

-- Gives an active place a new arrival in waiting, later than all before; see join.lua.
local function move_to_waiting(session_id, session)
  local last_us = math.floor(tonumber(sale.last_join or '0') * 1000 + 0.5)
  local arrival_us = math.max(us, last_us + 1)
  local score = score_at(arrival_us, session.seat or '')
  sale.last_join = score_at(arrival_us, '')
  call('HSET', SALE, 'last_join', sale.last_join)
  call('ZREM', ACTIVE, session_id)
  call('ZADD', WAITING, score, session_id)
  if session.tier then
    call('ZADD', tier_queue(OWNERS, session.tier), score, session_id)
  end
  if session.lane then
    decrement(OWNERS, 'lane:' .. session.lane, 1)
    call('HDEL', SESSION_PREFIX .. session_id, 'lane')
  end
  call('HSET', SESSION_PREFIX .. session_id, 'queue_status', 'waiting', 'queue_position_active', '-1',
    'queue_position_waiting', call('ZRANK', WAITING, session_id))
end

local function move_to_end_of_active(session_id)
  last_active_us = math.max(us, last_active_us + 1)
  local arrival = string.format('%.3f', last_active_us / 1000)
  call('ZADD', ACTIVE, arrival, session_id)
  call('HSET', SALE, 'last_active', arrival)
end

-- Those who go first are the other active places. If there are none, or if the first person of the waiting
-- list is next, the place waits again.
local function give_way(session_id, session)
  local is_last = call('ZRANK', ACTIVE, session_id) == call('ZCARD', ACTIVE) - 1
  local others_wait = call('ZCOUNT', WAITING, '-inf', '(' .. HELD_FROM) > 0
  if earlier_end < HELD_FROM or (is_last and others_wait) then
    move_to_waiting(session_id, session)
  else
    move_to_end_of_active(session_id)
  end
  call('HSET', SESSION_PREFIX .. session_id, 'gave_way_at', string.format('%d', now))
  gave_way = gave_way + 1
end

local function end_absent(session_id, session)
  call('ZREM', ACTIVE, session_id)
  end_place(session_id, session)
  removed = removed + 1
end

local function open_windows()
  local slots = math.min(tonumber(sale.slots), stock, in_ready + MAX_MOVES)
  if in_ready >= slots then
    return
  end
  local session_ids = call('ZRANGE', ACTIVE, in_ready, slots - 1)
  local jitter_ms = #session_ids > 1 and tonumber(sale.jitter_ms or '0') or 0
  math.randomseed(SEED)
  for _, session_id in ipairs(session_ids) do
    local session = read_session(session_id)
    local is_present = not is_absent(session.seen) and not misses_turn(session_id, session)
    if session.queue_status ~= 'active' or not is_present then
      end_absent(session_id, session)
    elseif must_give_way(session) then
      give_way(session_id, session)
    else
      make_ready(session_id, math.random(0, jitter_ms))
    end
  end
end

-- There are no more windows than free units. Those of a draw are its offers, which have their units.
local closed = 0
local function move_windows()
  if sale.shuffle == 'draw' then
    return
  end
  if in_ready > stock then
    closed = close_windows()
  else
    open_windows()
  end
end

-- Moving average of the time per turn; n turns in one run weigh as much as n runs.
local function update_turn_time()
  local turns = #ready
  local last_turn_at = tonumber(sale.turn_at or '0')
  local mean = tonumber(sale.turn_ms or '-1')
  if last_turn_at > 0 then
    local sample = (now - last_turn_at) / turns
    local weight = mean < 0 and 1 or 1 - AVERAGE_KEEPS ^ turns
    mean = mean + (sample - mean) * weight
  end
  call('HSET', SALE, 'turn_at', now, 'turn_ms', string.format('%.3f', mean))
  call('HINCRBY', SALE, 'turns', turns)
end

admit_waiting()
move_windows()
if #ready > 0 then
  update_turn_time()
end
local reached_maximum = math.max(admitted, skipped, #ready, closed) >= MAX_MOVES
local more = (reached_maximum or removed + gave_way > 0) and 1 or 0
local list_is_old = sale.list_from and now - tonumber(sale.list_told_at) > LIST_IS_OLD_MS
return { state, admitted, skipped + removed, more, now, unusual_missing or 0, table.concat(waits, ' '),
  list_is_old and 1 or 0, table.concat(delays, ' '), unpack(ready) }
