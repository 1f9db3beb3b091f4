#!lua
-- Reports the positions of sessions that were waiting a moment ago, and what they share. Writes nothing to
-- the sessions; records that the sale's clients reach the service.
-- KEYS  1 sale  2 waiting  3 active  4 ready  5 stock
-- ARGV  one session id per item
-- Reply per item: its position in waiting, -1 while the order is hidden, or '' where `status.lua` has to be
--       asked: it is not there, or the sale is over; then '|' and the people of the waiting list who come
--       before it, if there are any. After all items, joined by '|': total in waiting, total
--       in active, ms per turn or -1, state of the sale, stock, active and not ready, now in ms, purchase
--       token required (0/1), epoch, presence timeout in ms, ms until a session of the sale ends, show-up
--       timeout in ms, people on the waiting list
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
--@include fairgate/catalog/include/pre_queue.lua
--@include fairgate/catalog/include/presence.lua
--@include fairgate/catalog/include/session_life.lua
--@include fairgate/catalog/include/list_ahead.lua
local call = redis.call
local SALE, WAITING, ACTIVE, READY, STOCK = unpack(KEYS)

local now = now_ms()
local sale = read_fields(SALE, 'state', 'opens_at', 'closes_at', 'last_batch_at', 'payment_ms', 'turn_ms',
  'token', 'epoch', 'presence_ms', 'contact_at', 'show_up_ms', 'shuffle', 'last_join', 'admitted', 'list')
local state = sale_by_clock(sale, now)
local hides_order = is_order_hidden(sale, state)
local list = read_list(sale.list)
local is_over = not state or state == 'closed'
if not is_over then
  record_contact(SALE, sale, now)
end

local function shared_reply()
  local in_active = call('ZCARD', ACTIVE)
  local in_ready = call('ZCARD', READY)
  return string.format('%d|%d|%s|%s|%s|%d|%d|%s|%s|%s|%d|%s|%d', call('ZCARD', WAITING), in_active,
    sale.turn_ms or '-1', state or 'unknown', call('GET', STOCK) or '0', in_active - in_ready, now,
    sale.token or '0', sale.epoch or '0', sale.presence_ms or '0', session_ends_at(sale, now) - now,
    sale.show_up_ms or '0', list and list.people or 0)
end

local function position_of(session_id)
  local rank = not is_over and call('ZRANK', WAITING, session_id)
  if not rank then
    return ''
  end
  if hides_order then
    return -1
  end
  if not list then
    return rank
  end
  return rank .. '|' .. people_before(list, tonumber(call('ZSCORE', WAITING, session_id)))
end

local replies = {}
for i, session_id in ipairs(ARGV) do
  replies[i] = position_of(session_id)
end
replies[#ARGV + 1] = shared_reply()
return replies
