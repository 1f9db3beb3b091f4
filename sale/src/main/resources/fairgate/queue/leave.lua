#!lua
-- Gives up a session's place. A repeat changes nothing and gets the same reply. A turn that is given up late
-- counts as missed by its network, and a place that is left soon counts in its networks for a while.
-- KEYS  1 session  2 purchase lock. Only the session knows its product; the product's keys are built here and
--       lie in the same slot.
-- ARGV  1 text before and 2 text after a product id in key names  3 session id
-- Reply 'LEFT product' | 'UNKNOWN' | 'GONE product' (bought, or expired for another reason)
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/places.lua
--@include fairgate/catalog/include/missed_turns.lua
local SESSION, LOCK = unpack(KEYS)
local BEFORE_PRODUCT, AFTER_PRODUCT, SESSION_ID = unpack(ARGV)
local LATE_AFTER_MS = 20000

local function record_late_end(sale_key, owners, session)
  local now = now_ms()
  if now - tonumber(session.purchase_ready_at or now) > LATE_AFTER_MS then
    local sale = read_fields(sale_key, 'places_ip', 'places_net', 'places_site')
    record_missed_turn(sale_key, sale, owners, session.networks, now)
  end
end

local function record_left_soon(sale_key, event_prefix, session)
  if now_ms() - tonumber(session.verified_at or '0') > SOON_MS then
    return
  end
  for network in string.gmatch(session.networks or '', '%S+') do
    local key = left_soon_key(event_prefix, network)
    redis.call('INCR', key)
    redis.call('PEXPIRE', key, SOON_MS)
    redis.call('HSET', sale_key, 'leaves', '1')
  end
end

local function leave_queues(session)
  local tag = BEFORE_PRODUCT .. session.product_id .. AFTER_PRODUCT
  for _, queue in ipairs({ 'waiting', 'active', 'ready' }) do
    redis.call('ZREM', 'queue:' .. queue .. ':product:' .. tag, SESSION_ID)
  end
  local owners = 'queue:devices:product:' .. tag
  forget_place(owners, SESSION_ID, session)
  redis.call('DEL', LOCK)
  record_left_soon('event:' .. tag .. ':sale', 'event:' .. tag, session)
  if session.queue_status == 'ready_to_purchase' then
    record_late_end('event:' .. tag .. ':sale', owners, session)
  end
end

-- A turn that had not begun, or in which the sale was paused, was no turn: the deposit goes back, see
-- end_deposits.lua.
local function had_turn(session)
  local sale = 'event:' .. BEFORE_PRODUCT .. session.product_id .. AFTER_PRODUCT .. ':sale'
  return tonumber(session.purchase_ready_at or '0') <= now_ms()
    and redis.call('HGET', sale, 'state') ~= 'paused'
end

local function end_session(session)
  redis.call('HSET', SESSION, 'queue_status', 'expired', 'ended', 'left', 'queue_position_waiting', '-1',
    'queue_position_active', '-1')
  if session.deposit and not had_turn(session) then
    redis.call('HDEL', SESSION, 'purchase_ready_at')
  end
end

local session = read_fields(SESSION, 'queue_status', 'product_id', 'ended', 'purchase_ready_at',
  'verified_at', 'deposit', unpack(PLACE_FIELDS))
local status = session.queue_status
if not status or not session.product_id then
  return 'UNKNOWN'
end
if status == 'expired' and session.ended == 'left' then
  return 'LEFT ' .. session.product_id
end
if status == 'purchased' or status == 'expired' then
  return 'GONE ' .. session.product_id
end
leave_queues(session)
end_session(session)
return 'LEFT ' .. session.product_id
