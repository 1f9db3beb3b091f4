#!lua
-- Gives tickets of one room in order of arrival; one run handles many.
-- KEYS  1 state of the room  2 inside; all other keys are built from the prefix and lie in the same slot.
-- ARGV  1 prefix of the room's keys  2 ms of a period of presence  3-5 maximum number of places of an
--       address, a network and a wider network, 0 = unlimited, then one text per request:
--       'browser|challenge|ms for which the challenge is remembered|1 if its earlier ticket is gone|
--       networks of the caller|numbers'. All but the browser may be empty. The networks are hashes separated
--       by spaces, from the address to the widest network. The numbers are an answer to DRAWN_PLACES:
--       'ticket:number in the drawn order', separated by spaces.
-- Reply per request: 'TICKET ticket' | 'AGAIN ticket' (the browser's own, still live) | 'DRAWN ticket' (the
--       browser's own from before the draw; the caller looks whether it is live) | 'NETWORK' (its network has
--       the maximum number of places) | 'DRAWN_PLACES ticket ticket ...' (its network may have it; the caller
--       tells the drawn numbers of these tickets and asks again) | 'CHALLENGE_USED' | 'OFF' | 'ENDED' |
--       'NO_ROOM' | 'FAULT message'; then, as last element, the epoch
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/room/include/tickets.lua
local call = redis.call
local STATE, INSIDE = unpack(KEYS)
local PREFIX = ARGV[1]
local PERIOD_MS = tonumber(ARGV[2])
local MAX_PLACES = { tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]) }
local SHARED_ARGS = 5
-- Browsers and the places of networks are remembered by generation of tickets, in two generations.
local GENERATION = 1048576
-- The maximum number of tickets in one reply: the caller needs 50 us for each.
local MAX_DRAWN_PLACES = 64

local now = now_ms()
local state = read_fields(STATE, 'phase', 'next', 'epoch', 'drawn', 'contact_at')
local next_ticket = tonumber(state.next or '0')
local drawn = tonumber(state.drawn or '0')
local period = math.floor(now / PERIOD_MS)
local taken = 0

local function browsers(generation)
  return string.format('%sbrowsers:%d', PREFIX, generation)
end

local function networks(generation)
  return string.format('%snetworks:%d', PREFIX, generation)
end

local function ticket_of(browser)
  local generation = math.floor(next_ticket / GENERATION)
  local ticket = call('HGET', browsers(generation), browser)
  if not ticket and generation > 0 then
    ticket = call('HGET', browsers(generation - 1), browser)
  end
  return ticket and tonumber(ticket)
end

-- The tickets that visitors of a network have taken, and of which some may be gone. Those that have a number
-- in the drawn order have it here, after a 'd'.
local function places_of(network)
  local generation = math.floor(next_ticket / GENERATION)
  local text = call('HGET', networks(generation), network)
  if not text and generation > 0 then
    text = call('HGET', networks(generation - 1), network)
  end
  local places = {}
  for place in string.gmatch(text or '', '%S+') do
    places[#places + 1] = place
  end
  return places
end

local function keep_places(network, places)
  local generation = math.floor(next_ticket / GENERATION)
  call('HSET', networks(generation), network, table.concat(places, ' '))
end

-- Those places that are live: of waiting visitors and of those inside. A place whose drawn number is not
-- known counts as live; some of them are the second result.
local function live_of(places, numbers)
  local live = {}
  local unknown = {}
  for _, place in ipairs(places) do
    place = numbers[place] or place
    local ticket = tonumber(string.match(place, '%d+'))
    if ticket < drawn and string.sub(place, 1, 1) ~= 'd' then
      live[#live + 1] = place
      if #unknown < MAX_DRAWN_PLACES then
        unknown[#unknown + 1] = place
      end
    elseif not is_gone(PREFIX, ticket) or call('ZSCORE', INSIDE, ticket) then
      live[#live + 1] = place
    end
  end
  return live, unknown
end

-- The refusal of a caller whose network has the maximum number of places, else nil and its places by network.
local function network_refusal(request)
  local found = {}
  local level = 0
  for network in string.gmatch(request.networks, '%S+') do
    level = level + 1
    local max = MAX_PLACES[level]
    if max > 0 then
      local places = places_of(network)
      if #places >= max then
        local unknown
        places, unknown = live_of(places, request.numbers)
        keep_places(network, places)
        if #places >= max then
          return #unknown > 0 and 'DRAWN_PLACES ' .. table.concat(unknown, ' ') or 'NETWORK'
        end
      end
      found[network] = places
    end
  end
  return nil, found
end

local function keep_present(ticket)
  local key = here_key(PREFIX, period, block_of(ticket))
  call('SETBIT', key, offset_of(ticket), 1)
  call('PEXPIRE', key, 4 * PERIOD_MS)
end

local function new_ticket(browser, places_by_network)
  local ticket = next_ticket
  next_ticket = ticket + 1
  taken = taken + 1
  local generation = math.floor(ticket / GENERATION)
  if ticket % GENERATION == 0 and generation > 1 then
    call('UNLINK', browsers(generation - 2), networks(generation - 2))
  end
  call('HSET', browsers(generation), browser, string.format('%d', ticket))
  for network, places in pairs(places_by_network) do
    places[#places + 1] = string.format('%d', ticket)
    keep_places(network, places)
  end
  keep_present(ticket)
  return ticket
end

local function parse_request(text)
  local browser, challenge, life, forget, networks_text, numbers_text =
    string.match(text, '^([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|(.*)$')
  local numbers = {}
  for ticket, number in string.gmatch(numbers_text, '(%d+):(%d+)') do
    numbers[ticket] = 'd' .. number
  end
  return {
    browser = browser,
    challenge = challenge,
    challenge_life = life,
    forget = forget == '1',
    networks = networks_text,
    numbers = numbers,
  }
end

local function take(text)
  local request = parse_request(text)
  local own = not request.forget and ticket_of(request.browser)
  if own and own < drawn then
    return string.format('DRAWN %d', own)
  end
  if own and not is_gone(PREFIX, own) then
    keep_present(own)
    return string.format('AGAIN %d', own)
  end
  local refusal, places_by_network = network_refusal(request)
  if refusal then
    return refusal
  end
  local challenge_key = PREFIX .. 'challenge:' .. request.challenge
  local is_used = request.challenge ~= ''
    and not call('SET', challenge_key, '1', 'NX', 'PX', request.challenge_life)
  if is_used then
    return 'CHALLENGE_USED'
  end
  return string.format('TICKET %d', new_ticket(request.browser, places_by_network))
end

local function room_refusal()
  if not state.phase then
    return 'NO_ROOM'
  end
  if state.phase == 'off' then
    return 'OFF'
  end
  if state.phase == 'ended' then
    return 'ENDED'
  end
end

local refused = room_refusal()
local replies = {}
for i = 1, #ARGV - SHARED_ARGS do
  if refused then
    replies[i] = refused
  else
    local ok, reply = pcall(take, ARGV[SHARED_ARGS + i])
    replies[i] = ok and reply or ('FAULT ' .. tostring(reply))
  end
end
if taken > 0 then
  call('HSET', STATE, 'next', string.format('%d', next_ticket))
end
if not refused then
  if now - tonumber(state.contact_at or now) > PERIOD_MS then
    call('HSET', STATE, 'steady_since', now)
  end
  call('HSET', STATE, 'contact_at', now)
end
replies[#replies + 1] = state.epoch or '0'
return replies
