#!lua
-- Handles purchases from ready places of one product; one run handles many attempts. A purchase makes an
-- order: pending if it has to be paid, else paid. An attempt that is refused or only asked about records that
-- its ready session was seen. A run may end the priority of tiers. An attempt that finds a key of a wrong
-- type fails and changes nothing.
-- KEYS  1 sale  2 stock  3 active  4 ready  5 sessions that have bought  6 pending orders
--       7 places by device and account  8 outbox, then one session per attempt. Keys of locks, orders,
--       tokens, idempotency keys and counters are built here and lie in the same slot.
-- ARGV  1 prefix of event keys  2 prefix of order keys  3 prefix of purchase locks
--       4 TTL of idempotency keys, s  5 product id, then two texts per attempt: the id of its order, unused
--       unless it succeeds, or '' to ask only, and 'quantity' or 'quantity|token|expiry of the token, ms|
--       epoch of the token|fingerprint of the request|amount that the buyer expects|idempotency key'.
--       Token, amount and idempotency key may be empty. A token needs its expiry and epoch, an idempotency
--       key the fingerprint.
-- Reply per attempt:
--   RESERVED|order|quantity|amount|currency|status|pay_by|stock left
--   REPLAYED|the same fields   first reply to the same idempotency key and fingerprint
--   CONFLICT                   the idempotency key was used with another fingerprint
--   POSSIBLE                   the attempt was only asked about, and would succeed
--   NO_SALE  UNKNOWN           no such sale; no such session
--   CLOSED  NOT_OPEN           by the state of the sale
--   BOUGHT|order               the session has bought before
--   NOT_IN_QUEUE               the place has ended, or is in the queue of another product
--   NOT_IN_ACTIVE              the place is in waiting
--   NOT_READY                  the place is in active, and its purchase window has not begun
--   TIMEOUT                    the purchase window is over
--   BAD_TOKEN                  the sale requires a purchase token, and this one is not valid
--   QUANTITY|limit             more units than one order may have
--   PRICE|amount|currency      the amount is not the expected one
--   LIMIT                      more units than the user or the device may have
--   NETWORK                    more units than the network may have from which the buyer joined
--   SOLD_OUT                   too few units are free
--   TIERS|time                 all free units are for other tiers until that time, ms
--   UNVERIFIED                 Redis has restarted and the sale was not compared with the ledger since, or
--                              the sale is being rebuilt
--   FAULT message              the attempt failed
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
--@include fairgate/catalog/include/places.lua
--@include fairgate/catalog/include/missed_turns.lua
--@include fairgate/catalog/include/tiers.lua
--@include fairgate/sale/include/redis_restart.lua
--@include fairgate/sale/include/outbox.lua
local call = redis.call
local SALE, STOCK, ACTIVE, READY, BUYER_SESSIONS, PENDING, OWNERS, OUTBOX = unpack(KEYS, 1, 8)
local EVENT_PREFIX, ORDER_PREFIX, LOCK_PREFIX, KEY_TTL_SECONDS, PRODUCT = unpack(ARGV, 1, 5)
local DEPOSITS = EVENT_PREFIX .. ':deposits'
local SHARED_KEYS = 8
local SHARED_ARGS = 5
local ARGS_PER_ATTEMPT = 2

-- Text of a whole number. Redis converts Lua numbers by itself as well, but slowly, with %.17g.
local function digits(number)
  return string.format('%d', number)
end

local now = now_ms()
local now_text = digits(now)
local sale = read_fields(SALE, 'state', 'opens_at', 'closes_at', 'paused_ms', 'paused_at',
  'passed_at', 'max_quantity',
  'max_user', 'max_device', 'token', 'payment', 'payment_ms', 'price', 'currency', 'epoch', 'run', 'seq',
  'held', 'confirmed', 'units_ip', 'units_net', 'units_site', 'priority', 'pauses', 'jitter_ms',
  unpack(PAYMENT_TIME_FIELDS))
local state, total_pause_ms = sale_by_clock(sale, now)
local windows_outlast = windows_outlast_sale(sale, state)
local needs_payment = sale.payment == '1'
local needs_token = sale.token == '1'
local max_quantity = tonumber(sale.max_quantity or '0')
local max_user = tonumber(sale.max_user or '0')
local max_device = tonumber(sale.max_device or '0')
-- Limits by network, in the order of a session's networks.
local max_units =
  { tonumber(sale.units_ip or '0'), tonumber(sale.units_net or '0'), tonumber(sale.units_site or '0') }

-- Kept here during the run, and written once, at the end: the stock, the counters of the sale and those of
-- users, devices and networks, and the sessions that have bought.
local stock = tonumber(call('GET', STOCK) or '0')
local sold = 0
-- Units that only sessions of a tier may take: by tier, and their sum.
local tiers, reserved = {}, 0
if state == 'open' then
  tiers, reserved = settle_tiers(SALE, sale, stock, now)
end
local seq = tonumber(sale.seq or '0')
local held = tonumber(sale.held or '0')
local confirmed = tonumber(sale.confirmed or '0')
local units_by_counter = {}
local changed_counters = {}
local buyers = {}
local types_checked = false

-- Requests

local function parse_request(text)
  local quantity_text, token, token_expiry, token_epoch, fingerprint, amount, key =
    string.match(text, '^(%d+)|(.-)|(.-)|(.-)|(.-)|(.-)|(.*)$')
  quantity_text = quantity_text or text
  return {
    quantity_text = quantity_text,
    quantity = tonumber(quantity_text),
    token = token or '',
    token_expiry = token_expiry,
    token_epoch = token_epoch,
    fingerprint = fingerprint,
    expected_amount = amount or '',
    idempotency_key = key or '',
  }
end

-- Many requests are just '1'. Equal texts are parsed once.
local parsed_requests = {}
local function request_of(text)
  local request = parsed_requests[text]
  if not request then
    request = parse_request(text)
    parsed_requests[text] = request
  end
  return request
end

local function token_key(request)
  return EVENT_PREFIX .. ':token:' .. request.token
end

local function idempotency_redis_key(request)
  return EVENT_PREFIX .. ':idem:' .. request.idempotency_key
end

local function amount_of(request)
  return string.format('%.0f', sale.price * request.quantity)
end

-- The first reply to the same idempotency key, CONFLICT, or nil for a new key.
local function replay_of(request)
  if request.idempotency_key == '' then
    return nil
  end
  local order, fingerprint = string.match(call('GET', idempotency_redis_key(request)) or '', '^(%S+) (.+)$')
  if not order then
    return nil
  end
  if fingerprint ~= request.fingerprint then
    return 'CONFLICT'
  end
  local first = call('HMGET', ORDER_PREFIX .. order, 'quantity', 'amount', 'currency', 'first', 'pay_by',
    'remaining')
  return 'REPLAYED|' .. order .. '|' .. table.concat(first, '|')
end

-- Sessions

local function read_session(key)
  local status, product, window_ends, device, user, networks, tier, lane, units, decision, proven,
    ready_at, deposit = unpack(call('HMGET', key, 'queue_status', 'product_id', 'purchase_timeout_at',
      'device', 'user', 'networks', 'tier', 'lane', 'units', 'decision', 'proven', 'purchase_ready_at',
      'deposit'))
  return {
    id = string.sub(key, -36),
    key = key,
    status = status,
    product = product,
    ready_at = ready_at,
    window_ends = window_ends,
    device = device or '',
    user = user or device or '',
    networks = networks or '',
    tier = tier,
    lane = lane,
    -- A winner of a draw may buy the units of its entry.
    max_quantity = units and math.min(max_quantity, tonumber(units)) or max_quantity,
    decision = decision,
    times = proven and TIMES_PROVEN or 1,
    deposit = deposit,
  }
end

-- The units of the session's tier; nil without a tier.
local function tier_of(session)
  return tiers[tonumber(session.tier or '0')]
end

local function user_counter(session)
  return EVENT_PREFIX .. ':user:' .. session.user .. ':bought'
end

-- The units of a user, a device or a network by the name of its counter.
local function units_of(counter)
  local units = units_by_counter[counter] or tonumber(call('GET', counter) or '0')
  units_by_counter[counter] = units
  return units
end

-- 'fp' is a device in the names of keys.
local function device_counter(session)
  return EVENT_PREFIX .. ':fp:' .. session.device .. ':bought'
end

local function network_counter(network)
  return EVENT_PREFIX .. ':net:' .. network .. ':bought'
end

-- Refusals: each function returns the reply of a refusal, or nil.

local function ended_place_refusal(session)
  local reason = call('HGET', session.key, 'ended')
  return reason == 'window' and 'TIMEOUT' or 'NOT_IN_QUEUE'
end

local function place_refusal(session)
  local status = session.status
  if not state then return 'NO_SALE' end
  if not status then return 'UNKNOWN' end
  if session.product ~= PRODUCT then return 'NOT_IN_QUEUE' end
  if status == 'purchased' then return 'BOUGHT|' .. call('HGET', session.key, 'order') end
  if state == 'closed' and not (windows_outlast and status == 'ready_to_purchase') then return 'CLOSED' end
  if status == 'expired' then return ended_place_refusal(session) end
  if state ~= 'open' and not windows_outlast then return 'NOT_OPEN' end
  if status == 'waiting' then return 'NOT_IN_ACTIVE' end
  if status ~= 'ready_to_purchase' then return 'NOT_READY' end
  if ms_until_turn(sale, session.ready_at, now) > 0 then return 'NOT_READY' end
  if tonumber(session.window_ends) + total_pause_ms <= now then return 'TIMEOUT' end
end

local function token_is_valid(session, request)
  if request.token == '' then
    return false
  end
  local owner, used = unpack(call('HMGET', token_key(request), 'session', 'used'))
  return owner == session.id
    and used == '0'
    and tonumber(request.token_expiry) > now
    and request.token_epoch == sale.epoch
end

local function request_refusal(session, request)
  if needs_token and not token_is_valid(session, request) then return 'BAD_TOKEN' end
  if request.quantity < 1 or request.quantity > session.max_quantity then
    return 'QUANTITY|' .. session.max_quantity
  end
  if request.expected_amount ~= '' and request.expected_amount ~= amount_of(request) then
    return 'PRICE|' .. amount_of(request) .. '|' .. sale.currency
  end
end

local function exceeds(limit, counter, quantity)
  return limit > 0 and units_of(counter) + quantity > limit
end

-- What a browser bought before its guest signed in counts for the account as well.
local function units_as_guest(session)
  return session.user ~= session.device
    and units_of(EVENT_PREFIX .. ':user:' .. session.device .. ':bought') or 0
end

local function exceeds_limits(session, quantity)
  return max_user > 0 and exceeds(max_user, user_counter(session), quantity + units_as_guest(session))
    or exceeds(max_device, device_counter(session), quantity)
end

local function exceeds_network_limits(session, quantity)
  local level = 0
  for network in string.gmatch(session.networks, '%S+') do
    level = level + 1
    local limit = max_units[level] * (level > 1 and session.times or 1)
    if exceeds(limit, network_counter(network), quantity) then
      return true
    end
  end
  return false
end

-- The reply to a session that may not take the units of other tiers.
local function tiers_refusal(session, quantity)
  local own = tier_of(session)
  if reserved == 0 or stock - reserved + (own and own.left or 0) >= quantity then
    return nil
  end
  local ends_at = 0
  for _, tier in ipairs(tiers) do
    ends_at = tier.left > 0 and math.max(ends_at, tier.ends_at) or ends_at
  end
  return 'TIERS|' .. digits(ends_at)
end

local function units_refusal(session, request)
  if exceeds_limits(session, request.quantity) then return 'LIMIT' end
  if exceeds_network_limits(session, request.quantity) then return 'NETWORK' end
  if stock < request.quantity then return 'SOLD_OUT' end
  return tiers_refusal(session, request.quantity)
end

-- SOLD_OUT is sent without the restart check: after lost writes, returned units may be missing from the
-- stock, but no sold unit is in it again. `run` is empty while the sale is rebuilt; then no reply is certain.
local function is_unverified(refusal)
  if refusal == 'SOLD_OUT' and sale.run ~= '' then
    return false
  end
  return has_restarted_since(sale.run)
end

local function refusal_of(session, request)
  local refusal = place_refusal(session) or request_refusal(session, request)
    or units_refusal(session, request)
  return is_unverified(refusal) and 'UNVERIFIED' or refusal
end

-- The purchase

-- The names of all counters that a purchase of the session adds to.
local function counters_of(session)
  local counters = { user_counter(session), device_counter(session) }
  for network in string.gmatch(session.networks, '%S+') do
    counters[#counters + 1] = network_counter(network)
  end
  return counters
end

-- Fails before anything is written when a key has a wrong type. The other keys were read by the checks.
local function check_types(counters)
  for _, counter in ipairs(counters) do
    units_of(counter)
  end
  if types_checked then
    return
  end
  call('ZCARD', ACTIVE)
  call('ZCARD', READY)
  call('SCARD', BUYER_SESSIONS)
  call('ZCARD', PENDING)
  call('HLEN', OWNERS)
  call('XLEN', OUTBOX)
  types_checked = true
end

-- The deposit of the session's place as 'id amount', the id and the amount; nil without one. After data were
-- lost, it may be free again or belong to another place. One above the price, or in another currency, is not
-- used, so it goes back.
local function deposit_of(session, price)
  local id, amount = string.match(session.deposit or '', '^(%S+) (%d+)$')
  if not id or not needs_payment or tonumber(amount) > price then
    return nil
  end
  local owner, currency = unpack(call('HMGET', DEPOSITS, id, id .. ':currency'))
  if (owner == session.id or owner == 'free') and currency == sale.currency then
    return session.deposit, id, tonumber(amount)
  end
end

-- `event_fields` are the fields that the order and its outbox event have in common. An order whose price the
-- deposit covers is paid at once.
local function new_order(id, session, request)
  local price = sale.price * request.quantity
  local deposit, deposit_id, deposited = deposit_of(session, price)
  local is_pending = needs_payment and deposited ~= price
  local order = {
    id = id,
    is_pending = is_pending,
    deposit_id = deposit_id,
    status = is_pending and 'pending' or 'paid',
    amount = deposit and string.format('%.0f', price - deposited) or amount_of(request),
    pay_by = is_pending and digits(now + tonumber(sale.payment_ms)) or '0',
    remaining = digits(stock - request.quantity),
    networks = session.networks,
  }
  order.event_fields = { 'session', session.id, 'user', session.user, 'device', session.device, 'quantity',
    request.quantity_text, 'amount', order.amount, 'currency', sale.currency, 'status', order.status,
    'version', '1', 'pay_by', order.pay_by }
  if deposit then
    table.insert(order.event_fields, 'deposit')
    table.insert(order.event_fields, deposit)
  end
  return order
end

local function write_order(order)
  local fields = { 'first', order.status, 'created_at', now_text, 'remaining', order.remaining,
    unpack(order.event_fields) }
  if order.networks ~= '' then
    fields[#fields + 1] = 'networks'
    fields[#fields + 1] = order.networks
  end
  call('HSET', ORDER_PREFIX .. order.id, unpack(fields))
  if order.deposit_id then
    call('HSET', DEPOSITS, order.deposit_id, order.id)
  end
  if order.is_pending then
    -- Deadlines end in payment time, see sale_clock.lua.
    local pause = payment_pause(sale, now)
    call('ZADD', PENDING, digits(order.pay_by - pause), order.id)
    if pause > 0 then
      call('HSET', ORDER_PREFIX .. order.id, 'pay_pause', digits(pause))
    end
  end
end

local function take_units_of_tier(tier, quantity)
  local taken = math.min(tier.left, quantity)
  if taken > 0 then
    tier.left = tier.left - taken
    reserved = reserved - taken
    call('HINCRBY', SALE, tier.field, -taken)
  end
end

local function take_units(session, counters, request, order)
  stock = stock - request.quantity
  sold = sold + request.quantity
  for _, counter in ipairs(counters) do
    units_by_counter[counter] = units_by_counter[counter] + request.quantity
    changed_counters[counter] = true
  end
  local tier = tier_of(session)
  if tier then
    take_units_of_tier(tier, request.quantity)
  end
  if order.is_pending then
    held = held + request.quantity
  else
    confirmed = confirmed + request.quantity
  end
end

local function use_token(request)
  if needs_token then
    call('HSET', token_key(request), 'used', '1')
  end
end

local function remember_idempotency_key(request, order)
  if request.idempotency_key ~= '' then
    call('SET', idempotency_redis_key(request), order.id .. ' ' .. request.fingerprint, 'EX', KEY_TTL_SECONDS)
  end
end

-- The rest of leaving is done at the end, for all buyers of the run: leave_queues.
local function end_place(session, order)
  call('HSET', session.key, 'queue_status', 'purchased', 'order', order.id, 'queue_position_active', '-1')
  buyers[session.id] = session
end

local function append_reserved_event(order)
  seq = seq + 1
  append_event(OUTBOX, digits(seq), sale.epoch, 'reserved', 'order', order.id, 'at', now_text,
    unpack(order.event_fields))
end

local function reserved_reply(order, request)
  return table.concat({ 'RESERVED', order.id, request.quantity_text, order.amount, sale.currency,
    order.status, order.pay_by, order.remaining }, '|')
end

-- A purchase attempt shows that the session is present.
local function record_seen(session)
  if session.status == 'ready_to_purchase' then
    call('HSET', session.key, 'seen', now_text)
  end
end

local function purchase(session_key, order_id, request_text)
  local request = request_of(request_text)
  local replay = replay_of(request)
  if replay then
    return replay
  end
  local session = read_session(session_key)
  local refusal = refusal_of(session, request) or (order_id == '' and 'POSSIBLE')
  if refusal then
    record_seen(session)
    return refusal
  end
  local counters = counters_of(session)
  check_types(counters)
  local order = new_order(order_id, session, request)
  write_order(order)
  take_units(session, counters, request, order)
  use_token(request)
  remember_idempotency_key(request, order)
  end_place(session, order)
  append_reserved_event(order)
  return reserved_reply(order, request)
end

local function leave_queues()
  local ids = {}
  local locks = {}
  for id, session in pairs(buyers) do
    ids[#ids + 1] = id
    locks[#locks + 1] = LOCK_PREFIX .. id
    if sale.pauses then
      forget_missed_turns(OWNERS, session.networks)
    end
  end
  call('ZREM', ACTIVE, unpack(ids))
  call('ZREM', READY, unpack(ids))
  call('SADD', BUYER_SESSIONS, unpack(ids))
  call('DEL', unpack(locks))
  forget_places(OWNERS, buyers)
end

local function write_counters()
  local counters = {}
  for counter in pairs(changed_counters) do
    counters[#counters + 1] = counter
    counters[#counters + 1] = digits(units_by_counter[counter])
  end
  call('MSET', unpack(counters))
  call('DECRBY', STOCK, digits(sold))
  call('HSET', SALE, 'seq', digits(seq), 'held', digits(held), 'confirmed', digits(confirmed), 'bought', '1')
end

local replies = {}
for i = 1, #KEYS - SHARED_KEYS do
  local request_index = SHARED_ARGS + i * ARGS_PER_ATTEMPT
  local ok, reply = pcall(purchase, KEYS[SHARED_KEYS + i], ARGV[request_index - 1], ARGV[request_index])
  replies[i] = ok and reply or ('FAULT ' .. tostring(reply))
end
if sold > 0 then
  leave_queues()
  write_counters()
end
return replies
