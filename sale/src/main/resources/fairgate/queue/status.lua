#!lua
-- Reports the places of sessions, many per run. Records that a live session was seen, at most four times per
-- timeout, but always the first time after it was admitted and after its turn began, and that the sale's
-- clients reach the service. Once an hour it moves the end of a session that has not ended.
-- KEYS  one session per item. Only the session knows its product; the product's keys are built here and lie
--       in the same slot.
-- ARGV  1 text before and 2 text after a product id in key names
-- Reply per item: 'UNKNOWN', or joined by '|': status, product, position in waiting, position in active,
--       total in waiting, total in active, ms per turn or -1, ready since, end of the purchase window, state
--       of the sale, stock, turns ahead (those of the waiting list included), now, purchase token required
--       (0/1), reason of the end, order,
--       device, epoch, length of a purchase window in ms, presence timeout in ms, people in line, ms until
--       the session ends, 1 if its end was moved, else 0, the show-up timeout in ms, the number of its tier
--       while it waits, else 0, its position in the tier, the ms for which its buyer cannot join again after
--       it ended, and while it waits its seat and the id of the decision, see seats.lua, or empty texts. A
--       session is active until its turn begins; then 'ready since' lies ahead.
--       Positions are -1 where there is none or the order is hidden; then turns ahead are -1 too. Times are
--       ms of Redis time.
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
--@include fairgate/catalog/include/pre_queue.lua
--@include fairgate/catalog/include/presence.lua
--@include fairgate/catalog/include/session_life.lua
--@include fairgate/catalog/include/places.lua
--@include fairgate/catalog/include/pauses.lua
--@include fairgate/catalog/include/list_ahead.lua
local call = redis.call
local format = string.format
local BEFORE_PRODUCT, AFTER_PRODUCT = ARGV[1], ARGV[2]
local LIVE = { waiting = true, active = true, ready_to_purchase = true }

local now = now_ms()
local now_text = format('%d', now)
local this_hour = math.floor(now / 3600000)

-- What all sessions of a product share, read once per run. The fields `common_...` are the parts of the reply
-- that are the same for all of them, already joined and with a '|' at both ends.
local products = {}
local function read_product(id)
  local tag = BEFORE_PRODUCT .. id .. AFTER_PRODUCT
  local sale_key = 'event:' .. tag .. ':sale'
  local sale = read_fields(sale_key, 'state', 'opens_at', 'closes_at', 'paused_ms', 'paused_at', 'passed_at',
    'last_batch_at', 'payment_ms', 'window_ms', 'presence_ms', 'contact_at', 'turn_ms', 'token', 'epoch',
    'show_up_ms', 'shuffle', 'last_join', 'admitted', 'priority', 'cooldown_s', 'seats', 'list', 'jitter_ms')
  local waiting_key = 'queue:waiting:product:' .. tag
  local active_key = 'queue:active:product:' .. tag
  local total_waiting = call('ZCARD', waiting_key)
  local total_active = call('ZCARD', active_key)
  local total_ready = call('ZCARD', 'queue:ready:product:' .. tag)
  local stock = call('GET', 'product:stock:' .. tag) or '0'
  local state, pause = sale_by_clock(sale, now)
  local presence_ms = tonumber(sale.presence_ms or '0')
  local session_ends = session_ends_at(sale, now)
  local before_waiting = total_active - total_ready
  local list = read_list(sale.list)
  if state and state ~= 'closed' then
    record_contact(sale_key, sale, now)
  end
  products[id] = {
    sale_key = sale_key,
    event_prefix = 'event:' .. tag,
    cooldown_seconds = tonumber(sale.cooldown_s or '0'),
    owners_key = 'queue:devices:product:' .. tag,
    has_tiers = (sale.priority or '') ~= '',
    has_seats = sale.seats,
    jitter_ms = sale.jitter_ms,
    waiting_key = waiting_key,
    active_key = active_key,
    total_ready = total_ready,
    before_waiting = before_waiting,
    list = list,
    state = state,
    pause = pause,
    last_windows = windows_outlast_sale(sale, state),
    hides_order = is_order_hidden(sale, state),
    presence_ms = presence_ms,
    show_up_ms = tonumber(sale.show_up_ms or '0'),
    common_show_up = '|' .. (sale.show_up_ms or '0'),
    session_ends = session_ends,
    common_totals = format('|%d|%d|%s|', total_waiting, total_active, sale.turn_ms or '-1'),
    common_sale = '|' .. (state or 'unknown') .. '|' .. stock .. '|',
    common_time = '|' .. now_text .. '|' .. (sale.token or '0') .. '|',
    common_end = format('|%s|%s|%s|%d|%d|', sale.epoch or '0', sale.window_ms or '0', sale.presence_ms or '0',
      total_waiting + before_waiting + (list and list.people or 0), session_ends - now),
  }
  return products[id]
end

-- The session at hand. One table serves them all, because a new one for each costs 4 % of a run.
local session = {}

-- Returns whether there is such a session.
local function read_session(key)
  local status, product_id, device, seen =
    unpack(call('HMGET', key, 'queue_status', 'product_id', 'device', 'seen'))
  local ready_at, window_ends, ended, order, admitted_at
  if status and status ~= 'waiting' then
    ready_at, window_ends, ended, order, admitted_at = unpack(call('HMGET', key, 'purchase_ready_at',
      'purchase_timeout_at', 'ended', 'order', 'admitted_at'))
  end
  session.key = key
  session.id = string.sub(key, -36)
  session.status = status
  session.product_id = product_id
  session.device = device or ''
  session.seen = tonumber(seen or '0')
  session.admitted_at = tonumber(admitted_at or '0')
  session.ready_at = ready_at or '0'
  session.window_ends = window_ends
  session.ended = ended or ''
  session.order = order or ''
  session.position_waiting = '-1'
  session.position_active = '-1'
  session.turns_ahead = 0
  session.tier = '0'
  session.position_in_tier = '-1'
  session.missed_now = false
  session.seat = ''
  session.decision = ''
  return status and product_id
end

local function expire(reason)
  session.status = 'expired'
  session.ended = reason
  session.position_waiting = '-1'
  session.position_active = '-1'
  session.turns_ahead = 0
end

-- A place that gets a unit of its tier passes the others.
local function find_in_tier(product, tier)
  local rank = call('ZRANK', tier_queue(product.owners_key, tier), session.id)
  if not rank then
    return
  end
  session.tier = tier
  if product.hides_order then
    return
  end
  session.position_in_tier = format('%d', rank)
  local left = tonumber(call('HGET', product.sale_key, 'tier_' .. tier .. '_left') or '0')
  if rank < left then
    session.turns_ahead = math.min(session.turns_ahead, rank + product.before_waiting)
  end
end

local function find_position(product)
  local rank = call('ZRANK', product.waiting_key, session.id)
  if not rank then
    expire('lost')
    return
  end
  if product.hides_order then
    session.turns_ahead = -1
    return
  end
  session.position_waiting = format('%d', rank)
  session.turns_ahead = rank + product.before_waiting
  if product.list then
    local score = tonumber(call('ZSCORE', product.waiting_key, session.id))
    session.turns_ahead = session.turns_ahead + people_before(product.list, score)
  end
end

local function find_seat(product)
  if product.has_seats then
    local seat, decision = unpack(call('HMGET', session.key, 'seat', 'decision'))
    session.seat = seat or ''
    session.decision = decision or ''
  end
end

local function find_in_waiting(product)
  find_position(product)
  find_seat(product)
  local tier = product.has_tiers and session.status == 'waiting' and call('HGET', session.key, 'tier')
  if tier then
    find_in_tier(product, tier)
  end
end

local function find_in_active(product)
  local rank = call('ZRANK', product.active_key, session.id)
  if not rank then
    expire('lost')
    return
  end
  session.position_active = format('%d', rank)
  session.turns_ahead = math.max(0, rank - product.total_ready)
end

-- The window is stored in sale time; the reply says when it ends in Redis time.
local function end_window(product)
  if session.window_ends then
    session.window_ends = format('%d', session.window_ends + product.pause)
  end
  local windows_run = product.state == 'open' or product.last_windows
  if windows_run and tonumber(session.window_ends or '0') <= now then
    expire('window')
    session.missed_now = true
  end
end

local function wait_for_turn(product)
  if session.status == 'ready_to_purchase' and ms_until_turn(product, session.ready_at, now) > 0 then
    session.status = 'active'
  end
end

-- Completes the session with its position, and expires it where `expire.lua` is going to.
local function find_place(product)
  local status = session.status
  if status == 'waiting' then
    find_in_waiting(product)
  elseif status == 'active' then
    find_in_active(product)
  elseif status == 'ready_to_purchase' then
    find_in_active(product)
    end_window(product)
    wait_for_turn(product)
  end
  local uses_last_window = product.last_windows and status == 'ready_to_purchase'
  if product.state == 'closed' and LIVE[session.status] and not uses_last_window then
    expire('closed')
  end
end

-- Whether the time at which the session was last seen is too old to judge its presence. Shortly before and
-- during its turn, the show-up timeout counts, and whether it was seen at all since it was admitted and since
-- its turn began.
local function needs_presence(product)
  local is_near = session.status == 'active' or session.status == 'ready_to_purchase'
  if is_near and session.seen <= math.max(session.admitted_at, tonumber(session.ready_at)) then
    return true
  end
  local timeout_ms = is_near and product.show_up_ms > 0 and product.show_up_ms or product.presence_ms
  return LIVE[session.status] and timeout_ms > 0 and now - session.seen > timeout_ms / 4
end

-- Returns whether the end of the session was moved.
local function record_seen(product)
  local renews = session.status ~= 'expired' and math.floor(session.seen / 3600000) ~= this_hour
  if renews or needs_presence(product) then
    call('HSET', session.key, 'seen', now_text)
  end
  if renews then
    call('PEXPIREAT', session.key, format('%d', product.session_ends))
  end
  return renews
end

-- Time until the buyer of an ended place may join again, ms. `expire.lua` starts the pause of a turn that is
-- over within a moment.
local function pause_ms(product)
  if session.status ~= 'expired' then
    return 0
  end
  local user = call('HGET', session.key, 'user') or session.device
  local starts_after = session.missed_now and product.cooldown_seconds or 0
  return math.max(
    pause_left_ms(product.event_prefix .. ':user:' .. user .. ':cooldown', starts_after),
    pause_left_ms(product.event_prefix .. ':fp:' .. session.device .. ':cooldown', starts_after))
end

local function status_of(key)
  if not read_session(key) then
    return 'UNKNOWN'
  end
  local product = products[session.product_id] or read_product(session.product_id)
  find_place(product)
  local renewed = record_seen(product)
  return session.status
    .. '|' .. session.product_id
    .. '|' .. session.position_waiting
    .. '|' .. session.position_active
    .. product.common_totals .. session.ready_at
    .. '|' .. (session.window_ends or '0')
    .. product.common_sale .. format('%d', session.turns_ahead)
    .. product.common_time .. session.ended
    .. '|' .. session.order
    .. '|' .. session.device
    .. product.common_end .. (renewed and '1' or '0')
    .. product.common_show_up
    .. '|' .. session.tier
    .. '|' .. session.position_in_tier
    .. '|' .. format('%d', pause_ms(product))
    .. '|' .. session.seat
    .. '|' .. session.decision
end

local replies = {}
for i, key in ipairs(KEYS) do
  local ok, reply = pcall(status_of, key)
  replies[i] = ok and reply or ('FAULT ' .. tostring(reply))
end
return replies
