#!lua
-- Checks entries of one draw before they are stored in PostgreSQL; one run handles many. Uses up challenges,
-- and counts people by network. A repeat of a person counts once, and may have the same challenge: the entry
-- may not have been stored.
-- KEYS  1 sale. The other keys are built from the prefix and lie in the same slot.
-- ARGV  1 prefix of event keys  2 id of the draw  3-5 maximum number of people of an address, a network and a
--       wider network, 0 = unlimited  6 life of the counters, ms, then one text per entry:
--       'person|challenge|ms for which the challenge is remembered|networks of the caller'. All but the
--       person may be empty. The networks are hashes separated by spaces, from the address to the widest
--       network.
-- Reply per entry: 'OK' | 'NETWORK' (its network has the maximum number of people) | 'CHALLENGE_USED' |
--       'FAULT message'
local call = redis.call
local EVENT_PREFIX, DRAW = ARGV[1], ARGV[2]
local MAX_PEOPLE = { tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]) }
local LIFE_MS = ARGV[6]
local SHARED_ARGS = 6

local function network_keys(networks)
  local keys = {}
  for network in string.gmatch(networks, '%S+') do
    keys[#keys + 1] = EVENT_PREFIX .. ':draw:' .. DRAW .. ':net:' .. network
  end
  return keys
end

local function is_full(key, max_people, person)
  return max_people > 0 and call('SISMEMBER', key, person) == 0 and call('SCARD', key) >= max_people
end

-- False when somebody else used the challenge before.
local function use_challenge(challenge, life, person)
  local key = EVENT_PREFIX .. ':challenge:' .. challenge
  return challenge == '' or call('SET', key, person, 'NX', 'PX', life) or call('GET', key) == person
end

local function enter(text)
  local person, challenge, challenge_life, networks = string.match(text, '^([^|]*)|([^|]*)|([^|]*)|(.*)$')
  local keys = network_keys(networks)
  for level, key in ipairs(keys) do
    if is_full(key, MAX_PEOPLE[level], person) then
      return 'NETWORK'
    end
  end
  if not use_challenge(challenge, challenge_life, person) then
    return 'CHALLENGE_USED'
  end
  for level, key in ipairs(keys) do
    if MAX_PEOPLE[level] > 0 then
      call('SADD', key, person)
      call('PEXPIRE', key, LIFE_MS)
    end
  end
  return 'OK'
end

local replies = {}
for i = 1, #ARGV - SHARED_ARGS do
  local ok, reply = pcall(enter, ARGV[SHARED_ARGS + i])
  replies[i] = ok and reply or ('FAULT ' .. tostring(reply))
end
return replies
