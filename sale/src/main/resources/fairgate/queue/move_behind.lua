#!lua
-- Takes the turn of a ready place whose purchase is risky, and moves it to the end of the waiting queue,
-- behind all others. A place that a decision has seated before keeps its turn: it has waited already, or a
-- person has released it. So does a place that cannot buy now: its purchase is refused for another reason.
-- KEYS  1 sale  2 waiting  3 active  4 ready  5 places by device and account. Keys of sessions and purchase
--       locks are built here from the prefixes and lie in the same slot.
-- ARGV  1 product id  2 session id  3 id of the decision  4 seat: 'behind' or 'held', see seats.lua
--       5 prefix of session keys  6 prefix of purchase locks
-- Reply 'MOVED' | 'KEPT' (the place cannot buy in this sale now, or a decision has seated it before)
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
--@include fairgate/catalog/include/places.lua
--@include fairgate/catalog/include/seats.lua
local call = redis.call
local SALE, WAITING, ACTIVE, READY, OWNERS = unpack(KEYS)
local PRODUCT, SESSION_ID, DECISION, SEAT, SESSION_PREFIX, LOCK_PREFIX = unpack(ARGV)
local SESSION = SESSION_PREFIX .. SESSION_ID

local function take_turn(session)
  call('ZREM', READY, SESSION_ID)
  call('ZREM', ACTIVE, SESSION_ID)
  call('DEL', LOCK_PREFIX .. SESSION_ID)
  call('HDEL', SESSION, 'purchase_ready_at', 'purchase_timeout_at', 'token', 'token_expiry', 'lane')
  if session.lane then
    decrement(OWNERS, 'lane:' .. session.lane, 1)
  end
end

-- A new arrival, later than all before; see join.lua.
local function next_arrival_us()
  local last = math.floor(tonumber(call('HGET', SALE, 'last_join') or '0') * 1000 + 0.5)
  local arrival_us = math.max(now_us(), last + 1)
  call('HSET', SALE, 'last_join', score_at(arrival_us, ''), 'seats', '1')
  return arrival_us
end

local function seat_behind(session)
  local score = score_at(next_arrival_us(), SEAT)
  call('ZADD', WAITING, score, SESSION_ID)
  if session.tier then
    call('ZADD', tier_queue(OWNERS, session.tier), score, SESSION_ID)
  end
  call('HSET', OWNERS, 'seat:' .. DECISION, SESSION_ID)
  call('HSET', SESSION, 'queue_status', 'waiting', 'seat', SEAT, 'decision', DECISION,
    'queue_position_waiting', call('ZRANK', WAITING, SESSION_ID), 'queue_position_active', '-1')
end

-- See purchase.lua.
local function can_buy(session)
  if session.queue_status ~= 'ready_to_purchase' or session.product_id ~= PRODUCT then
    return false
  end
  local now = math.floor(now_us() / 1000)
  local sale = read_fields(SALE, 'state', 'opens_at', 'closes_at', 'paused_ms', 'paused_at', 'passed_at')
  local state, pause_ms = sale_by_clock(sale, now)
  return state == 'open' and tonumber(session.purchase_timeout_at) + pause_ms > now
end

local session = read_fields(SESSION, 'queue_status', 'product_id', 'purchase_timeout_at',
  unpack(PLACE_FIELDS))
if session.decision or not can_buy(session) then
  return 'KEPT'
end
take_turn(session)
seat_behind(session)
return 'MOVED'
