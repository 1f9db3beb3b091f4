#!lua
-- Handles joins of the queue of one product; one run handles many. A new place is at the end of the waiting
-- queue, or behind all others if its join was risky. Before the opening of a sale that shuffles, it is at a
-- random position, which nobody is told until the sale opens.
-- KEYS  1 sale  2 waiting  3 active  4 places by device and account  5 ready, then one new session per join.
--       Keys of other sessions, counters and challenges are built here from the prefixes and lie in the same
--       slot.
-- ARGV  1 product id  2 prefix of session keys  3 prefix of event keys, then one text per join: 'device', or
--       'device|account|session id sent by the caller|challenge|ms for which the challenge is remembered|
--       networks of the caller|number of its tier|seat|id of the decision|evidence'. All but the device may
--       be empty. The evidence is 'new' for a caller without a cookie, 'proven' for one that has a cookie and
--       solved a harder challenge.
--       The networks are hashes separated by spaces, from the address to the widest network. Tiers are
--       explained in tiers.lua; a place without one, or of a later one, gets the tier of a repeat. Seats are
--       explained in seats.lua; a repeat with a better seat moves a waiting place to the end of that seat.
-- Reply per join: 'JOINED position' (-1 before the opening of a sale that shuffles) | 'ALREADY session' |
--       'LIMIT' | 'COOLDOWN ms reason' (see pauses.lua) | 'NETWORK' (its network has the maximum number of
--       places or units) | 'CROWDED' (the same, and a caller that is proven may join) |
--       'IDENTITY' (the sale counts another kind of user) | 'CHALLENGE_USED' | 'DRAW' | 'CLOSED' |
--       'STOPPED' (nobody new may join) | 'DEPOSIT' (the sale needs a deposit, and the caller has paid none
--       that is free) | 'NO_SALE' | 'FAULT message'; then, as last element, the TTL of the
--       new sessions in ms
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
--@include fairgate/catalog/include/pre_queue.lua
--@include fairgate/catalog/include/session_life.lua
--@include fairgate/catalog/include/places.lua
--@include fairgate/catalog/include/seats.lua
--@include fairgate/catalog/include/pauses.lua
--@include fairgate/catalog/include/deposits.lua
local call = redis.call
local format = string.format
local SALE, WAITING, ACTIVE, OWNERS, READY = unpack(KEYS, 1, 5)
local PRODUCT, SESSION_PREFIX, EVENT_PREFIX = unpack(ARGV, 1, 3)
local DEPOSITS = EVENT_PREFIX .. ':deposits'
local SHARED_KEYS = 5
local SHARED_ARGS = 3
-- 2001-09-09.
local MAX_RANDOM_ARRIVAL_MS = 1e12
local LIVE = { waiting = true, active = true, ready_to_purchase = true }

local us = now_us()
local now = math.floor(us / 1000)
-- Text of a number. Redis converts Lua numbers by itself as well, but slowly, with %.17g.
local now_text = format('%d', now)
local sale = read_fields(SALE, 'state', 'opens_at', 'closes_at', 'last_batch_at', 'payment_ms', 'last_join',
  'paused_ms', 'paused_at', 'identity', 'shuffle', 'admitted', 'pauses', 'max_user', 'max_device', 'bought',
  'places_ip', 'places_net', 'places_site', 'units_ip', 'units_net', 'units_site', 'seats',
  'joins', 'leaves', 'deposit')
local hides_order = is_order_hidden(sale, sale_by_clock(sale, now))
local max_user = tonumber(sale.max_user or '0')
local max_device = tonumber(sale.max_device or '0')
-- Limits by network, in the order of a request's networks.
local max_places =
  { tonumber(sale.places_ip or '0'), tonumber(sale.places_net or '0'), tonumber(sale.places_site or '0') }
local max_units =
  { tonumber(sale.units_ip or '0'), tonumber(sale.units_net or '0'), tonumber(sale.units_site or '0') }
local sessions_expire_at = session_ends_at(sale, now)
local counts_identity = (sale.identity or '') ~= ''

-- Arrival in whole microseconds. Repeated additions of 0.001 to milliseconds would accumulate rounding
-- errors, and two arrivals could become equal.
local last_arrival_us = math.floor(tonumber(sale.last_join or '0') * 1000 + 0.5)
local joined = 0

-- Waiting places by seat, and whether any join of this run is seated behind.
local waiting = { [''] = call('ZCARD', WAITING), behind = 0, held = 0 }
if sale.seats then
  waiting.held = call('ZCOUNT', WAITING, HELD_FROM, '+inf')
  waiting.behind = call('ZCOUNT', WAITING, BEHIND_FROM, '+inf') - waiting.held
  waiting[''] = waiting[''] - waiting.behind - waiting.held
end
local uses_seats = false

-- Read once for each network: the places before this run, and the units.
local places_by_network = {}
local units_by_network = {}

-- Written once, after all joins.
local new_places = {}
local new_owners = {}
local session_by_owner = {}
local new_places_by_network = {}
local new_places_by_tier = {}

local function sale_refusal()
  if not sale.state then
    return 'NO_SALE'
  end
  local closes_at = tonumber(sale.closes_at or '0')
  if sale.state == 'closed' or (closes_at > 0 and now >= closes_at) then
    return 'CLOSED'
  end
  if sale.shuffle == 'draw' then
    return 'DRAW'
  end
end

local function parse_request(text)
  local device, account, session, challenge, challenge_life, networks, tier, seat, decision, evidence =
    string.match(text, '^([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|?(.*)$')
  return {
    device = device or text,
    account = account or '',
    named_session = session or '',
    challenge = challenge or '',
    challenge_life = challenge_life,
    networks = networks or '',
    tier = tier or '',
    seat = seat or '',
    decision = decision or '',
    is_new = evidence == 'new',
    is_proven = evidence == 'proven',
  }
end

-- True if the user is of the kind that the sale counts: an account, a telephone or a person.
local function has_identity(request)
  local prefix = sale.identity or ''
  return string.sub(request.account, 1, #prefix) == prefix
end

-- The index of owners may be stale. A place is valid only if it is in a queue and the hash of its session
-- exists. A place without that hash would never expire, so it is removed here.
local function check_place(session_id)
  if not session_id then
    return false
  end
  local score = call('ZSCORE', WAITING, session_id)
  if not score and not call('ZSCORE', ACTIVE, session_id) then
    return false
  end
  if call('EXISTS', SESSION_PREFIX .. session_id) == 1 then
    return true
  end
  if score then
    local seat = seat_of_score(score)
    waiting[seat] = waiting[seat] - call('ZREM', WAITING, session_id)
  end
  call('ZREM', ACTIVE, session_id)
  call('ZREM', READY, session_id)
  return false
end

local function is_live_session(session_id)
  local status, product = unpack(call('HMGET', SESSION_PREFIX .. session_id, 'queue_status', 'product_id'))
  return product == PRODUCT and LIVE[status] and check_place(session_id)
end

-- True if the place is the caller's. In a sale that counts an identity, each identity has a place of its own,
-- also in a browser in which somebody else has joined.
local function counts_for(request, session_id)
  return not counts_identity or call('HGET', SESSION_PREFIX .. session_id, 'user') == request.account
end

-- The session that already holds a place for this caller, else false. The devices of an account share one
-- place.
local function session_of(request, session_of_device)
  local joined_in_this_run = not counts_identity and session_by_owner[request.device]
    or session_by_owner[request.account]
  if joined_in_this_run then
    return joined_in_this_run
  end
  local named = request.named_session
  if named ~= '' and is_live_session(named) and counts_for(request, named) then
    return named
  end
  local session_of_account = request.account ~= '' and call('HGET', OWNERS, request.account)
  if check_place(session_of_device) and counts_for(request, session_of_device) then
    return session_of_device
  end
  return check_place(session_of_account) and session_of_account
end

-- True if the place belongs to the caller's account or, without one, to the caller's device. A guest's place
-- on the device becomes the account's if the account has no other one: the sign-in itself gives it to the
-- account (own_place.lua), unless Redis was away or the browser joined as a guest afterwards.
local function is_own_place(request, session_id)
  local key = SESSION_PREFIX .. session_id
  local user, device = unpack(call('HMGET', key, 'user', 'device'))
  if user or request.account == '' then
    return (user or '') == request.account and (user or device == request.device)
  end
  local has_another = session_by_owner[request.account] or check_place(call('HGET', OWNERS, request.account))
  if device ~= request.device or has_another then
    return false
  end
  call('HSET', key, 'user', request.account)
  call('HSET', OWNERS, request.account, session_id)
  session_by_owner[request.account] = session_id
  return true
end

-- The pause of a caller without a cookie, which is that of its address: ms and reason.
local function pause_of_address(request)
  local prefix = request.is_new and address_prefix(EVENT_PREFIX, sale, request.networks)
  local reason = prefix and call('GET', prefix .. ':cooldown')
  return reason and call('PTTL', prefix .. ':cooldown') or 0, reason
end

-- LIMIT if the caller already has the maximum number of units, COOLDOWN if a cooldown is running, else nil.
local function buyer_refusal(request)
  local user = request.account ~= '' and request.account or request.device
  local user_prefix = EVENT_PREFIX .. ':user:' .. user
  local device_prefix = EVENT_PREFIX .. ':fp:' .. request.device
  local units_of_user, units_of_device, user_cooldown, device_cooldown, units_as_guest = unpack(call('MGET',
    user_prefix .. ':bought', device_prefix .. ':bought', user_prefix .. ':cooldown',
    device_prefix .. ':cooldown', EVENT_PREFIX .. ':user:' .. request.device .. ':bought'))
  -- What a browser bought before its guest signed in counts for the account as well.
  local units = tonumber(units_of_user or '0')
  if user ~= request.device then
    units = units + tonumber(units_as_guest or '0')
  end
  if max_user > 0 and units >= max_user then
    return 'LIMIT'
  end
  if max_device > 0 and tonumber(units_of_device or '0') >= max_device then
    return 'LIMIT'
  end
  local device_wait_ms = device_cooldown and call('PTTL', device_prefix .. ':cooldown') or 0
  local user_wait_ms = user_cooldown and call('PTTL', user_prefix .. ':cooldown') or 0
  if user_wait_ms > 0 and user_wait_ms >= device_wait_ms then
    return 'COOLDOWN ' .. user_wait_ms .. ' ' .. user_cooldown
  end
  if device_wait_ms > 0 then
    return 'COOLDOWN ' .. device_wait_ms .. ' ' .. device_cooldown
  end
  local address_wait_ms, address_cooldown = pause_of_address(request)
  if address_wait_ms > 0 then
    return 'COOLDOWN ' .. address_wait_ms .. ' ' .. address_cooldown
  end
end

local function places_of_network(network)
  local places = places_by_network[network]
  if not places then
    local left_soon = sale.leaves and call('GET', left_soon_key(EVENT_PREFIX, network))
    places = tonumber(call('HGET', OWNERS, 'net:' .. network) or '0')
      + math.max(0, tonumber(left_soon or '0') - LEFT_FREELY)
    places_by_network[network] = places
  end
  return places + (new_places_by_network[network] or 0)
end

local function units_of_network(network)
  local units = units_by_network[network]
    or tonumber(call('GET', EVENT_PREFIX .. ':net:' .. network .. ':bought') or '0')
  units_by_network[network] = units
  return units
end

-- True if one of the caller's networks has the maximum number of live places or of units. `times` widens the
-- limits of all networks but the address.
local function is_full(request, times)
  local level = 0
  for network in string.gmatch(request.networks, '%S+') do
    level = level + 1
    local factor = level > 1 and times or 1
    if max_places[level] > 0 and places_of_network(network) >= max_places[level] * factor then
      return true
    end
    if sale.bought and max_units[level] > 0 and units_of_network(network) >= max_units[level] * factor then
      return true
    end
  end
  return false
end

-- NETWORK or CROWDED if the caller's network is full, else nil.
local function network_refusal(request)
  if not is_full(request, request.is_proven and TIMES_PROVEN or 1) then
    return nil
  end
  local may_prove = not request.is_new and not request.is_proven
  return may_prove and not is_full(request, TIMES_PROVEN) and 'CROWDED' or 'NETWORK'
end

-- False when the challenge was used before.
local function use_challenge(request)
  local key = EVENT_PREFIX .. ':challenge:' .. request.challenge
  return request.challenge == '' or call('SET', key, '1', 'NX', 'PX', request.challenge_life)
end

-- Later than all arrivals before, even when the clock stands still or steps back.
local function next_arrival_us()
  last_arrival_us = math.max(us, last_arrival_us + 1)
  return last_arrival_us
end

-- The position of a new place of this seat.
local function next_position(seat)
  local position = waiting['']
  if seat ~= '' then
    position = position + waiting.behind
  end
  if seat == 'held' then
    position = position + waiting.held
  end
  return position
end

local function write_session(key, request, position)
  local fields = { 'queue_status', 'waiting', 'product_id', PRODUCT, 'turnstile_verified', 'true',
    'verified_at', now_text, 'queue_position_waiting', position, 'queue_position_active', '-1', 'device',
    request.device, 'seen', now_text }
  local function put(name, value)
    fields[#fields + 1] = name
    fields[#fields + 1] = value
  end
  if request.account ~= '' then
    put('user', request.account)
  end
  if request.networks ~= '' then
    put('networks', request.networks)
  end
  if request.is_proven then
    put('proven', '1')
  end
  if request.tier ~= '' then
    put('tier', request.tier)
  end
  if request.seat ~= '' then
    put('seat', request.seat)
    put('decision', request.decision)
  end
  call('HSET', key, unpack(fields))
  call('PEXPIREAT', key, format('%d', sessions_expire_at))
end

local function add_owner(owner, session_id)
  new_owners[#new_owners + 1] = owner
  new_owners[#new_owners + 1] = session_id
  session_by_owner[owner] = session_id
end

-- A time long before every arrival. It is random: the caller does not know the hash of its device.
local function random_arrival_us(session_id, request)
  local hash = redis.sha1hex(request.device .. session_id)
  return math.floor(tonumber(string.sub(hash, 1, 12), 16) / 2 ^ 48 * MAX_RANDOM_ARRIVAL_MS * 1000)
end

local function new_score(session_id, request)
  local arrival_us = hides_order and random_arrival_us(session_id, request) or next_arrival_us()
  return score_at(arrival_us, request.seat)
end

local function add_to_tier(tier, arrival, session_id)
  local places = new_places_by_tier[tier] or {}
  places[#places + 1] = arrival
  places[#places + 1] = session_id
  new_places_by_tier[tier] = places
end

-- Moves a waiting place to a better tier. Its position among all is the same.
local function improve_tier(session_id, tier)
  local key = SESSION_PREFIX .. session_id
  local arrival = call('ZSCORE', WAITING, session_id)
  local current = call('HGET', key, 'tier')
  if not arrival or (current and tonumber(current) <= tonumber(tier)) then
    return
  end
  if current then
    call('ZREM', tier_queue(OWNERS, current), session_id)
  end
  call('HSET', key, 'tier', tier)
  call('ZADD', tier_queue(OWNERS, tier), arrival, session_id)
end

-- Moves a waiting place to the end of a better seat, because its risk is lower now.
local function improve_seat(session_id, request)
  local key = SESSION_PREFIX .. session_id
  local score = call('ZSCORE', WAITING, session_id)
  local current = score and seat_of_score(score) or ''
  if not score or SEAT_OFFSETS[request.seat] >= SEAT_OFFSETS[current] then
    return
  end
  local moved = new_score(session_id, request)
  call('ZADD', WAITING, moved, session_id)
  waiting[current] = waiting[current] - 1
  waiting[request.seat] = waiting[request.seat] + 1
  local session = read_fields(key, 'tier', 'decision')
  if session.tier then
    call('ZADD', tier_queue(OWNERS, session.tier), moved, session_id)
  end
  call('HDEL', OWNERS, 'seat:' .. (session.decision or ''))
  if request.seat == '' then
    call('HDEL', key, 'seat', 'decision')
  else
    call('HSET', key, 'seat', request.seat, 'decision', request.decision)
    call('HSET', OWNERS, 'seat:' .. request.decision, session_id)
  end
  if not hides_order then
    call('HSET', SALE, 'last_join', score_at(last_arrival_us, ''))
  end
end

local function add_place(session_id, request)
  local arrival = new_score(session_id, request)
  new_places[#new_places + 1] = arrival
  new_places[#new_places + 1] = session_id
  if request.tier ~= '' then
    add_to_tier(request.tier, arrival, session_id)
  end
  add_owner(request.device, session_id)
  if request.account ~= '' then
    add_owner(request.account, session_id)
  end
  for network in string.gmatch(request.networks, '%S+') do
    new_places_by_network[network] = (new_places_by_network[network] or 0) + 1
  end
  if request.seat ~= '' then
    uses_seats = true
    new_owners[#new_owners + 1] = 'seat:' .. request.decision
    new_owners[#new_owners + 1] = session_id
  end
  waiting[request.seat] = waiting[request.seat] + 1
  joined = joined + 1
end

local function join(key, request, session_of_device)
  if not has_identity(request) then
    return 'IDENTITY'
  end
  local session = session_of(request, session_of_device)
  if session then
    -- A tier or a better seat is not handed on to a place that the caller only knows.
    local is_own = is_own_place(request, session)
    if is_own and request.tier ~= '' then
      improve_tier(session, request.tier)
    end
    if is_own and sale.seats then
      improve_seat(session, request)
    end
    return 'ALREADY ' .. session
  end
  if sale.joins == 'stopped' then
    return 'STOPPED'
  end
  -- Units begin with the first purchase of the sale, and pauses with the first missed turn; until then these
  -- reads are skipped.
  local refusal = (sale.bought or sale.pauses) and buyer_refusal(request) or network_refusal(request)
  if refusal then
    return refusal
  end
  local deposit, amount
  if sale.deposit == '1' then
    deposit, amount = free_deposit(DEPOSITS, request.account, request.device)
    if not deposit then
      return 'DEPOSIT'
    end
  end
  if not use_challenge(request) then
    return 'CHALLENGE_USED'
  end
  local position = hides_order and '-1' or format('%d', next_position(request.seat))
  write_session(key, request, position)
  if deposit then
    bind_deposit(DEPOSITS, key, deposit, amount)
  end
  add_place(string.sub(key, -36), request)
  return 'JOINED ' .. position
end

local function write_places()
  call('HSET', OWNERS, unpack(new_owners))
  for network, places in pairs(new_places_by_network) do
    call('HINCRBY', OWNERS, 'net:' .. network, places)
  end
  call('ZADD', WAITING, unpack(new_places))
  for tier, places in pairs(new_places_by_tier) do
    call('ZADD', tier_queue(OWNERS, tier), unpack(places))
  end
  if not hides_order then
    call('HSET', SALE, 'last_join', score_at(last_arrival_us, ''))
  end
  if uses_seats then
    call('HSET', SALE, 'seats', '1')
  end
  call('HINCRBY', SALE, 'joined', joined)
end

local count = #KEYS - SHARED_KEYS
local requests = {}
local devices = {}
for i = 1, count do
  requests[i] = parse_request(ARGV[SHARED_ARGS + i])
  devices[i] = requests[i].device
end

local refusal = sale_refusal()
local sessions_of_devices = not refusal and call('HMGET', OWNERS, unpack(devices))
local replies = {}
for i, request in ipairs(requests) do
  if refusal then
    replies[i] = refusal
  else
    local ok, reply = pcall(join, KEYS[SHARED_KEYS + i], request, sessions_of_devices[i])
    replies[i] = ok and reply or ('FAULT ' .. tostring(reply))
  end
end
if joined > 0 then
  write_places()
end
replies[count + 1] = format('%d', sessions_expire_at - now)
return replies
