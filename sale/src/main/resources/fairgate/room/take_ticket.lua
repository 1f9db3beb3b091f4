#!lua
-- Gives tickets of one room in order of arrival; one run handles many.
-- KEYS  1 state of the room  2 inside; all other keys are built from the prefix and lie in the same slot.
-- ARGV  1 prefix of the room's keys  2 ms of a period of presence  3-5 maximum number of places of an
--       address, a network and a wider network, 0 = unlimited, then one text per request:
--       'browser|challenge|ms for which the challenge is remembered|networks of the caller|numbers'. All but
--       the browser may be empty. The networks are hashes separated by spaces, from the address to the widest
--       network. The numbers are the answers to DRAWN_PLACES: 'ticket:number in the drawn order', separated
--       by spaces.
-- Reply per request: 'TICKET ticket' | 'AGAIN ticket' (the browser's own, still live) | 'INSIDE' (the
--       browser's own has entered, and its visit goes on) | 'NETWORK' (a network has the maximum number of
--       places) | 'DRAWN_PLACES ticket ...' (the reply depends on whether these are live; the caller tells
--       their drawn numbers and asks again) | 'CHALLENGE_USED' | 'OFF' | 'ENDED' | 'NO_ROOM' |
--       'FAULT message'; then, as last element, the epoch
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/room/include/tickets.lua
--@include fairgate/room/include/periods.lua
--@include fairgate/room/include/browsers.lua
local call = redis.call
local STATE, INSIDE = unpack(KEYS)
local PREFIX = ARGV[1]
local PERIOD_MS = tonumber(ARGV[2])
local MAX_PLACES = { tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]) }
local SHARED_ARGS = 5
-- Without a limit, the newest 700 places of a network are kept, in case that a limit is set.
local MAX_TEXT = 8192
local KEPT_TEXT = 6144
-- The maximum number of tickets in one reply: the caller needs 50 us for each.
local MAX_DRAWN_PLACES = 64

local now = now_ms()
local state = read_fields(STATE, 'phase', 'next', 'epoch', 'drawn', 'generation', 'period', 'period_at')
local next_ticket = tonumber(state.next or '0')
local drawn = tonumber(state.drawn or '0')
local period
local taken = 0

local function generation_now()
  return math.floor(next_ticket / GENERATION)
end

-- What the newest generation that has the field has of it; nil for none.
local function newest(key_of, field)
  for generation = generation_now(), tonumber(state.generation or '0'), -1 do
    local value = call('HGET', key_of(PREFIX, generation), field)
    if value then
      return value
    end
  end
end

-- The tickets that visitors of a network have taken, and of which some may be gone. Those that have a number
-- in the drawn order have it here, after a 'd'.
local function places_of(network)
  local places = {}
  for place in string.gmatch(newest(networks_key, network) or '', '%S+') do
    places[#places + 1] = place
  end
  return places
end

local function keep_places(network, places)
  call('HSET', networks_key(PREFIX, generation_now()), network, table.concat(places, ' '))
end

-- For a network without a limit.
local function add_uncounted_place(network, ticket)
  local had = newest(networks_key, network)
  local text = had and string.format('%s %d', had, ticket) or string.format('%d', ticket)
  if #text > MAX_TEXT then
    text = string.match(text, ' (.*)$', #text - KEPT_TEXT)
  end
  call('HSET', networks_key(PREFIX, generation_now()), network, text)
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

-- The refusal of a caller whose network has the maximum number of places, else nil and its places by network;
-- false for a network without a limit.
local function network_refusal(request)
  local found = {}
  local level = 0
  for network in string.gmatch(request.networks, '%S+') do
    level = level + 1
    local max = MAX_PLACES[level]
    found[network] = false
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

local function new_ticket(browser, places_by_network)
  local ticket = next_ticket
  next_ticket = ticket + 1
  taken = taken + 1
  call('HSET', browsers_key(PREFIX, math.floor(ticket / GENERATION)), browser, string.format('%d', ticket))
  for network, places in pairs(places_by_network) do
    if places then
      places[#places + 1] = string.format('%d', ticket)
      keep_places(network, places)
    else
      add_uncounted_place(network, ticket)
    end
  end
  keep_present(PREFIX, period, ticket)
  return ticket
end

local function parse_request(text)
  local browser, challenge, life, networks_text, numbers_text =
    string.match(text, '^([^|]*)|([^|]*)|([^|]*)|([^|]*)|(.*)$')
  local numbers = {}
  for ticket, number in string.gmatch(numbers_text, '(%d+):(%d+)') do
    numbers[ticket] = 'd' .. number
  end
  return {
    browser = browser,
    challenge = challenge,
    challenge_life = life,
    networks = networks_text,
    numbers = numbers,
  }
end

-- The number of a ticket in the order of the room; nil if the caller has to tell it.
local function number_of(ticket, numbers)
  if tonumber(ticket) >= drawn then
    return tonumber(ticket)
  end
  return numbers[ticket] and tonumber(string.sub(numbers[ticket], 2))
end

local function take(text)
  local request = parse_request(text)
  local own = newest(browsers_key, request.browser)
  local number = own and number_of(own, request.numbers)
  if own and not number then
    return 'DRAWN_PLACES ' .. own
  end
  if own and not is_gone(PREFIX, number) then
    keep_present(PREFIX, period, number)
    return 'AGAIN ' .. own
  end
  if own and call('ZSCORE', INSIDE, number) then
    return 'INSIDE'
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
if not refused then
  period = period_of_contact(STATE, state, now, PERIOD_MS)
end
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
replies[#replies + 1] = state.epoch or '0'
return replies
