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

local function decrement(owners, field, number)
  if redis.call('HINCRBY', owners, field, -number) <= 0 then
    redis.call('HDEL', owners, field)
  end
end

-- Removes places from the index, once. `sessions` have, by session id, the fields PLACE_FIELDS of the
-- sessions' hashes.
local PLACE_FIELDS = { 'device', 'user', 'networks', 'tier', 'lane', 'decision' }
local function forget_places(owners, sessions)
  local names = {}
  local session_ids = {}
  local fields = {}
  local places = {}
  local function add_name(name, session_id)
    names[#names + 1] = name
    session_ids[#names] = session_id
  end
  local function count(counter)
    places[counter] = (places[counter] or 0) + 1
  end
  for session_id, session in pairs(sessions) do
    add_name(session.device or '', session_id)
    if session.user and session.user ~= session.device then
      add_name(session.user, session_id)
    end
    for network in string.gmatch(session.networks or '', '%S+') do
      count('net:' .. network)
    end
    if session.lane then
      count('lane:' .. session.lane)
    end
    if session.tier then
      redis.call('ZREM', tier_queue(owners, session.tier), session_id)
    end
    if session.decision then
      fields[#fields + 1] = 'seat:' .. session.decision
    end
  end
  -- A device or account may have another place by now.
  for i, session_id in ipairs(redis.call('HMGET', owners, unpack(names))) do
    if session_id == session_ids[i] then
      fields[#fields + 1] = names[i]
    end
  end
  if #fields > 0 then
    redis.call('HDEL', owners, unpack(fields))
  end
  for counter, number in pairs(places) do
    decrement(owners, counter, number)
  end
end

local function forget_place(owners, session_id, session)
  forget_places(owners, { [session_id] = session })
end
