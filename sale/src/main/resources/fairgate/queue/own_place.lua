#!lua
-- Gives a guest's place to the account that its browser has signed in to. A person has one place: if the
-- account has another one, the place further in front is kept, in a tie the guest's, and the other one ends.
-- While the order is hidden, the account's is kept: otherwise signing in again and again in new browsers
-- would give it the best of many random places. A repeat changes nothing.
-- KEYS  1 sale  2 waiting  3 active  4 ready  5 places by device and account. Keys of sessions and locks are
--       built here from the prefixes and lie in the same slot.
-- ARGV  1 device  2 account  3 prefix of session keys  4 prefix of purchase locks
-- Reply 'NONE' (no place of a guest, or the sale counts no devices) | 'OWNED' (the account has the place now)
--       | 'MERGED' (the same, and another place of the account has ended) | 'ENDED' (the guest's place has
--       ended, because the account's is kept)
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
--@include fairgate/catalog/include/pre_queue.lua
--@include fairgate/catalog/include/places.lua
local call = redis.call
local SALE, WAITING, ACTIVE, READY, OWNERS = unpack(KEYS)
local DEVICE, ACCOUNT, SESSION_PREFIX, LOCK_PREFIX = unpack(ARGV)
local RANKS = { ready_to_purchase = 1, active = 2, waiting = 3 }

-- A live place, or nil. The index of owners may be stale.
local function place_of(owner)
  local id = call('HGET', OWNERS, owner)
  if not id then
    return nil
  end
  local session = read_fields(SESSION_PREFIX .. id, 'queue_status', unpack(PLACE_FIELDS))
  local rank = RANKS[session.queue_status]
  local score = rank and call('ZSCORE', rank == 3 and WAITING or ACTIVE, id)
  if not score then
    return nil
  end
  return { id = id, rank = rank, score = tonumber(score), session = session }
end

local function is_further(one, other)
  return one.rank < other.rank or (one.rank == other.rank and one.score < other.score)
end

local function end_place(place)
  for _, queue in ipairs({ WAITING, ACTIVE, READY }) do
    call('ZREM', queue, place.id)
  end
  forget_place(OWNERS, place.id, place.session)
  call('DEL', LOCK_PREFIX .. place.id)
  call('HSET', SESSION_PREFIX .. place.id, 'queue_status', 'expired', 'ended', 'left',
    'queue_position_waiting', '-1', 'queue_position_active', '-1')
end

local sale = read_fields(SALE, 'identity', 'state', 'opens_at', 'closes_at', 'paused_ms', 'paused_at',
  'shuffle', 'last_join', 'admitted')
if (sale.identity or '') ~= '' then
  return 'NONE'
end
local guest = place_of(DEVICE)
if not guest or guest.session.user then
  return 'NONE'
end
local known = place_of(ACCOUNT)
local is_hidden = is_order_hidden(sale, sale_by_clock(sale, now_ms()))
if known and (is_hidden or is_further(known, guest)) then
  end_place(guest)
  return 'ENDED'
end
if known then
  end_place(known)
end
call('HSET', SESSION_PREFIX .. guest.id, 'user', ACCOUNT)
call('HSET', OWNERS, ACCOUNT, guest.id)
return known and 'MERGED' or 'OWNED'
