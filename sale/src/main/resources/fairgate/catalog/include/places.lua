-- The index of the live places of a sale, a hash. It has the session of each device and account that holds a
-- place and, under `net:` and the hash of a network, the number of places of that network. Under `lane:` and
-- the number of a tier it has the number of active places that were admitted as places of this tier, and
-- under `lane:behind` of those that were behind others. Under
-- `seat:` and the id of a decision it has the session that the decision seated behind others, see seats.lua.

-- Networks wider than an address may have so many times their places and units for callers that are proven.
local TIMES_PROVEN = 5

-- Places that are left so soon after their join count in their networks for as long again, all but the first
-- two. Otherwise one address could join any number of times, each time as a new browser. The sale's field
-- `leaves` tells that any place was.
local SOON_MS = 60000
local LEFT_FREELY = 2

-- The key that counts the places of a network that were left soon.
local function left_soon_key(event_prefix, network)
  return event_prefix .. ':net:' .. network .. ':left'
end

-- The key of the waiting places of a tier, with the same scores as in waiting. `key` is another queue key of
-- the sale.
local function tier_queue(key, tier)
  return (string.gsub(key, '^queue:%a+:', 'queue:tier:' .. tier .. ':', 1))
end

local function decrement(owners, field)
  if redis.call('HINCRBY', owners, field, -1) <= 0 then
    redis.call('HDEL', owners, field)
  end
end

-- Removes a place from the index, once. `session` has the fields PLACE_FIELDS of the session's hash.
local PLACE_FIELDS = { 'device', 'user', 'networks', 'tier', 'lane', 'decision' }
local function forget_place(owners, session_id, session)
  for _, owner in ipairs({ session.device or '', session.user or '' }) do
    if redis.call('HGET', owners, owner) == session_id then
      redis.call('HDEL', owners, owner)
    end
  end
  for network in string.gmatch(session.networks or '', '%S+') do
    decrement(owners, 'net:' .. network)
  end
  if session.tier then
    redis.call('ZREM', tier_queue(owners, session.tier), session_id)
  end
  if session.lane then
    decrement(owners, 'lane:' .. session.lane)
  end
  if session.decision then
    redis.call('HDEL', owners, 'seat:' .. session.decision)
  end
end
