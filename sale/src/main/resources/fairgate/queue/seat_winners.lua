#!lua
-- Seats winners of a draw, or the first person of a waiting list: each gets a ready place, whose purchase
-- window is the time of its offer. One run handles many, in the order of their lots. A repeat changes
-- nothing. These are no joins: limits of networks and challenges were checked at their entry.
-- KEYS  1 sale  2 active  3 ready  4 places by device and account, then one session per winner. Purchase
--       locks are built here from the prefix and lie in the same slot.
-- ARGV  1 product id  2 prefix of purchase locks  3 'first': only if nobody is active, because those with
--       a purchase window are the first of active, see admit.lua; else '', then one text per winner: 'end of
--       its offer, ms|units that it may buy|device|user'. The user is empty for a guest.
-- Reply per winner: 'SEATED' | 'SAME' (the session exists) | 'OVER' (the time of its offer is over) |
--       'NOT_OPEN' (the sale is not open now, or was not compared with the ledger since Redis started) |
--       'NOT_FIRST' (somebody is active) | 'FAULT message'; then, as last element, the TTL of the new
--       sessions in ms
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
--@include fairgate/catalog/include/session_life.lua
--@include fairgate/catalog/include/deposits.lua
--@include fairgate/sale/include/redis_restart.lua
local call = redis.call
local format = string.format
local SALE, ACTIVE, READY, OWNERS = unpack(KEYS, 1, 4)
local PRODUCT, LOCK_PREFIX, ORDER = unpack(ARGV, 1, 3)
local SHARED_KEYS = 4
local SHARED_ARGS = 3

local us = now_us()
local now = math.floor(us / 1000)
local sale = read_fields(SALE, 'state', 'opens_at', 'closes_at', 'last_batch_at', 'payment_ms', 'paused_ms',
  'paused_at', 'passed_at', 'last_active', 'run', 'deposit')
local state, pause = sale_by_clock(sale, now)
local can_seat = state == 'open' and not has_restarted_since(sale.run)
local sessions_expire_at = session_ends_at(sale, now)
local seated = 0
-- Arrival in active in whole microseconds, see join.lua.
local last_active_us = math.floor(tonumber(sale.last_active or '0') * 1000 + 0.5)

local function write_session(key, winner)
  -- In sale time, see sale_clock.lua.
  local window_ends = format('%d', winner.ends_at - pause)
  call('HSET', key, 'queue_status', 'ready_to_purchase', 'product_id', PRODUCT, 'turnstile_verified', 'true',
    'verified_at', now, 'seen', now, 'device', winner.device, 'units', winner.units, 'purchase_ready_at', now,
    'purchase_timeout_at', window_ends, 'queue_position_waiting', '-1', 'queue_position_active', '-1')
  if winner.user ~= '' then
    call('HSET', key, 'user', winner.user)
  end
  call('PEXPIREAT', key, format('%d', math.max(sessions_expire_at, winner.ends_at + 86400000)))
  return window_ends
end

-- The deposit of the entry counts towards the price. A winner whose deposit is not known pays all of it.
local function use_deposit(key, winner)
  if sale.deposit == '1' then
    local deposits = string.match(SALE, '^(.*):sale$') .. ':deposits'
    local id, amount = free_deposit(deposits, winner.user, winner.device)
    if id then
      bind_deposit(deposits, key, id, amount)
    end
  end
end

local function seat(key, text)
  local ends_at, units, device, user = string.match(text, '^(%d+)|(%d+)|([^|]*)|(.*)$')
  local winner = { ends_at = tonumber(ends_at), units = units, device = device, user = user }
  if call('EXISTS', key) == 1 then
    return 'SAME'
  end
  if winner.ends_at <= now then
    return 'OVER'
  end
  if ORDER == 'first' and call('ZCARD', ACTIVE) > 0 then
    return 'NOT_FIRST'
  end
  local session_id = string.sub(key, -36)
  local window_ends = write_session(key, winner)
  use_deposit(key, winner)
  last_active_us = math.max(us, last_active_us + 1)
  call('ZADD', ACTIVE, format('%.3f', last_active_us / 1000), session_id)
  call('ZADD', READY, window_ends, session_id)
  call('SET', LOCK_PREFIX .. session_id, window_ends, 'PX', winner.ends_at - now)
  call('HSET', OWNERS, winner.device, session_id)
  if winner.user ~= '' then
    call('HSET', OWNERS, winner.user, session_id)
  end
  seated = seated + 1
  return 'SEATED'
end

local count = #KEYS - SHARED_KEYS
local replies = {}
for i = 1, count do
  if can_seat then
    local ok, reply = pcall(seat, KEYS[SHARED_KEYS + i], ARGV[SHARED_ARGS + i])
    replies[i] = ok and reply or ('FAULT ' .. tostring(reply))
  else
    replies[i] = 'NOT_OPEN'
  end
end
if seated > 0 then
  call('HSET', SALE, 'last_active', format('%.3f', last_active_us / 1000))
  call('HINCRBY', SALE, 'joined', seated)
  call('HINCRBY', SALE, 'admitted', seated)
end
replies[count + 1] = format('%d', sessions_expire_at - now)
return replies
