#!lua
-- Moves one room forward: its phase, the ends of visits and reservations, and the cursor. Every node runs it
-- often; each run decides by the state that it finds.
-- KEYS  1 state of the room  2 inside  3 reserved  4 reserved by ticket  5 due  6 turns  7 times of exchanges
--       (the bitmaps are built from the prefix and lie in the same slot)
-- ARGV  1 prefix  2 version of the settings  3 epoch  4 '1' if the state may be created  5 mode  6 capacity 7
--       admissions per second  8 '1' if paused  9 opens at, ms or 0  10 closes at, ms or 0  11 '1' if the
--       order before the opening is drawn  12 ms for which a slot is reserved  13 ms without waiting visitors
--       after which standby ends  14 maximum of admissions in one run  15 epoch at the creation of the room
-- Reply: 'STALE' (newer settings were applied) | 'LOST' (there is no state, or one of a later epoch) |
--       'DELETING' (the keys of a deleted room with this id; call again) | 'OK', then phase, cursor,
--       number of tickets, admitted now, visitors inside, reserved slots, '1' if there is more to do,
--       number of tickets to draw or 0, period to sweep or 0, last entry of the revoked visits, oldest
--       ticket that may be live, epoch in which the tickets to draw were sealed or 0
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/room/include/tickets.lua
--@include fairgate/room/include/slots.lua
--@include fairgate/room/include/periods.lua
--@include fairgate/room/include/browsers.lua
--@include fairgate/room/include/deletion.lua
local call = redis.call
local STATE, INSIDE, RESERVED, ORDER, DUE, TURNS, EXCHANGED = unpack(KEYS)
local PREFIX = ARGV[1]
local room = {
  version = tonumber(ARGV[2]),
  epoch = tonumber(ARGV[3]),
  may_create = ARGV[4] == '1',
  mode = ARGV[5],
  capacity = tonumber(ARGV[6]),
  rate = tonumber(ARGV[7]),
  paused = ARGV[8] == '1',
  opens_at = tonumber(ARGV[9]),
  closes_at = tonumber(ARGV[10]),
  shuffle = ARGV[11] == '1',
  show_up_ms = tonumber(ARGV[12]),
  idle_ms = tonumber(ARGV[13]),
  max = tonumber(ARGV[14]),
  first_epoch = tonumber(ARGV[15]),
}
local MAX_SKIPPED = 4000
local MAX_ENDED = 1000
local CROWDED_SECONDS = 3
local MAX_FINISHED = 16
-- Nobody could use a slot while no node has advanced the room for this time.
local OUTAGE_MS = 5000

local now = now_ms()
local state = read_fields(STATE, 'version', 'epoch', 'next', 'cursor', 'tokens', 'tokens_at', 'active',
  'waited_at', 'drawn', 'sealed', 'sealed_epoch', 'period', 'swept', 'generation', 'revoked', 'phase',
  'run_at', 'kept_until')
if room.version < tonumber(state.version or '0') then
  return { 'STALE' }
end
-- The state of a room that was deleted.
if state.epoch and tonumber(state.epoch) < room.first_epoch then
  if not delete_room(PREFIX, STATE) then
    return { 'DELETING' }
  end
  state = {}
  oldest_ticket = 0
end
-- A restore of PostgreSQL beside a Redis that was kept brings an earlier epoch back.
if tonumber(state.epoch or '0') > room.epoch or not (state.version or room.may_create) then
  return { 'LOST' }
end
local next_ticket = tonumber(state.next or '0')
local cursor = tonumber(state.cursor or '0')
local admitted = 0
local more = false

-- Everybody inside has a pass of the old epoch, which is no longer valid. Waiting tickets keep their places.
local function begin_epoch()
  if room.epoch > tonumber(state.epoch or '0') then
    call('DEL', INSIDE, RESERVED, ORDER, DUE, TURNS, EXCHANGED)
  end
end

-- After an outage, reserved slots and unused turns are kept for as long as a slot is reserved. The time of a
-- run is written only while there are any.
local function are_kept()
  local run_at = tonumber(state.run_at)
  if call('ZCARD', RESERVED) == 0 and call('HLEN', TURNS) == 0 then
    if run_at then
      call('HDEL', STATE, 'run_at')
    end
    return false
  end
  if run_at and now - run_at > OUTAGE_MS then
    state.kept_until = now + room.show_up_ms
    call('HSET', STATE, 'kept_until', state.kept_until)
  end
  if not run_at or now - run_at > OUTAGE_MS / 5 then
    call('HSET', STATE, 'run_at', now)
  end
  return now < tonumber(state.kept_until or '0')
end

-- The visitors whose pass or turn is over. A ticket with an unused turn can enter again.
local function end_visits()
  local over = call('ZRANGEBYSCORE', INSIDE, '-inf', now, 'LIMIT', 0, MAX_ENDED)
  if #over > 0 then
    call('ZREM', INSIDE, unpack(over))
    call('HDEL', TURNS, unpack(over))
    call('HDEL', EXCHANGED, unpack(over))
  end
  more = more or #over == MAX_ENDED
end

local function end_reservations()
  local over = call('ZRANGEBYSCORE', RESERVED, '-inf', now, 'LIMIT', 0, MAX_ENDED)
  for _, ticket in ipairs(over) do
    unreserve(PREFIX, ticket)
  end
  more = more or #over == MAX_ENDED
end

local function is_crowded()
  local second = math.floor(now / 1000)
  for back = 1, CROWDED_SECONDS do
    local arrivals = call('GET', string.format('%sarrivals:%d', PREFIX, second - back))
    if tonumber(arrivals or '0') <= room.rate then
      return false
    end
  end
  return true
end

local function is_anybody_waiting()
  return cursor < next_ticket or call('ZCARD', RESERVED) > 0 or call('ZCARD', DUE) > 0
end

local function is_active()
  if room.mode ~= 'standby' then
    return room.mode == 'on'
  end
  if state.active ~= '1' then
    return is_crowded()
  end
  return is_anybody_waiting() or now - tonumber(state.waited_at or now) < room.idle_ms
end

local function phase_of(active)
  if room.closes_at > 0 and now >= room.closes_at then
    return 'ended'
  end
  if not active then
    return 'off'
  end
  if room.opens_at > 0 and now < room.opens_at then
    return 'before'
  end
  return room.paused and 'paused' or 'open'
end

local function draw_nothing()
  call('HSET', STATE, 'drawn', 0)
  state.drawn = '0'
end

-- The number of tickets whose order is to be drawn now; 0 for none. They are sealed once, and never after an
-- admission: visitors who have entered keep their tickets.
local function tickets_to_draw(phase)
  if state.drawn or phase == 'before' or phase == 'off' then
    return 0
  end
  if not room.shuffle or room.opens_at == 0 then
    if state.sealed then
      -- The operator has changed to the order of arrival before the order was drawn.
      draw_nothing()
    end
    return 0
  end
  local sealed = tonumber(state.sealed or next_ticket)
  if sealed == 0 or cursor > 0 then
    draw_nothing()
    return 0
  end
  if not state.sealed_epoch then
    state.sealed_epoch = ARGV[3]
    call('HSET', STATE, 'sealed', sealed, 'sealed_epoch', ARGV[3])
  end
  return sealed
end

-- The smallest ticket whose turn came earlier and that asks again; nil for none.
local function next_due()
  for _ = 1, MAX_SKIPPED do
    local due = call('ZPOPMIN', DUE)[1]
    if not due or not is_gone(PREFIX, due) then
      return due
    end
  end
end

-- Takes the next ticket in the queue. Returns nil when there is none now.
local function next_in_line()
  local due = next_due()
  if due then
    return due
  end
  local skipped = 0
  while cursor < next_ticket and is_gone(PREFIX, cursor) and skipped < MAX_SKIPPED do
    cursor = cursor + 1
    skipped = skipped + 1
  end
  more = more or skipped == MAX_SKIPPED
  if cursor == next_ticket or skipped == MAX_SKIPPED then
    return nil
  end
  cursor = cursor + 1
  return string.format('%d', cursor - 1)
end

local function admit()
  local allowed = admissions_allowed(state, room.rate, now)
  local free = free_slots(PREFIX, room.capacity)
  local limit = math.min(free, math.floor(allowed), room.max)
  while admitted < limit do
    local ticket = next_in_line()
    if not ticket then
      break
    end
    reserve(PREFIX, ticket, now + room.show_up_ms)
    admitted = admitted + 1
  end
  if admitted > 0 then
    keep_admissions(STATE, allowed - admitted, now)
    call('HINCRBY', STATE, 'departed', admitted)
  end
end

-- A block behind the cursor whose tickets are all gone is finished: nothing is kept of it.
local function finish_blocks()
  local finished = 0
  while finished < MAX_FINISHED and block_of(oldest_ticket) < block_of(cursor) do
    local gone = gone_key(PREFIX, block_of(oldest_ticket))
    if call('BITCOUNT', gone) < BLOCK then
      break
    end
    call('UNLINK', gone)
    oldest_ticket = oldest_ticket + BLOCK
    finished = finished + 1
  end
  if finished > 0 then
    call('HSET', STATE, 'oldest', oldest_ticket)
  end
end

-- A ticket from before the draw has another number, so their generations stay until all of them are gone.
local function finish_generation()
  local generation = tonumber(state.generation or '0')
  local are_drawn_gone = oldest_ticket >= tonumber(state.drawn or '0')
  if are_drawn_gone and (generation + 1) * GENERATION <= oldest_ticket then
    call('UNLINK', browsers_key(PREFIX, generation), networks_key(PREFIX, generation))
    call('HSET', STATE, 'generation', generation + 1)
  end
end

-- The period whose absences are to be looked for; 0 for none. While the order is drawn, presence cannot be
-- recorded.
local function period_to_sweep(is_drawing)
  local period = tonumber(state.period or '0')
  if is_drawing or tonumber(state.swept or '0') >= period then
    return 0
  end
  call('HSET', STATE, 'swept', period)
  return period
end

-- An idle room writes nothing.
local function write_state(phase, active)
  local is_same = state.version == ARGV[2]
    and state.epoch == ARGV[3]
    and state.phase == phase
    and state.cursor == string.format('%d', cursor)
    and state.active == (active and '1' or '0')
  if not is_same then
    call('HSET', STATE, 'version', ARGV[2], 'epoch', ARGV[3], 'cursor', string.format('%d', cursor),
      'phase', phase, 'active', active and 1 or 0)
  end
end

begin_epoch()
local are_slots_kept = are_kept()
if not are_slots_kept then
  end_visits()
end
local active = is_active()
local phase = phase_of(active)
local to_draw = tickets_to_draw(phase)
local is_drawing = to_draw > 0 or (state.sealed and not state.drawn)
if to_draw > 0 and phase ~= 'ended' then
  phase = 'before'
end
if not room.paused and not are_slots_kept then
  end_reservations()
end
if phase == 'open' then
  admit()
end
finish_blocks()
finish_generation()
local waited_ms = now - tonumber(state.waited_at or '0')
if (is_anybody_waiting() or not active) and waited_ms > room.idle_ms / 12 then
  call('HSET', STATE, 'waited_at', now)
end
write_state(phase, active)
return {
  'OK', phase, cursor, next_ticket, admitted, call('ZCARD', INSIDE), call('ZCARD', RESERVED),
  more and 1 or 0, to_draw, period_to_sweep(is_drawing), state.revoked or '', oldest_ticket,
  to_draw > 0 and tonumber(state.sealed_epoch) or 0,
}
