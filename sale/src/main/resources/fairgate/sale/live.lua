#!lua
-- Reads the live counters of sales, those of each sale at one instant.
-- KEYS  per item: 1 sale  2 stock  3 waiting  4 active  5 ready  6 purchases  7 pending orders  8 outbox
-- Reply per item, joined by '|': state, free units, released, held, confirmed, waiting, active, ready,
--       purchases, pending orders, joined, admitted, missed, turns, batch, seq, epoch, version, ms per turn,
--       now in ms, outbox entries, 1 if the sale was compared with the ledger since Redis started, else 0,
--       next payment deadline in ms or 0, events of earlier epochs that the counters include, units of tiers.
--       Without a sale the state is '', and ms per turn is -1 where unknown.
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
--@include fairgate/sale/include/redis_restart.lua
local call = redis.call
local KEYS_PER_ITEM = 8

local now = now_ms()

local function read_sale(key)
  return read_fields(key, 'state', 'opens_at', 'closes_at', 'released', 'held', 'confirmed', 'joined',
    'admitted', 'missed', 'turns', 'batch', 'seq', 'epoch', 'version', 'turn_ms', 'run', 'earlier_events',
    'tier_1_left', 'tier_2_left', 'tier_3_left', 'tier_4_left', unpack(PAYMENT_TIME_FIELDS))
end

local function next_deadline(sale, pending, number_pending)
  if number_pending == 0 then
    return '0'
  end
  local first = call('ZRANGE', pending, 0, 0, 'WITHSCORES')
  return string.format('%.0f', first[2] + payment_pause(sale, now))
end

local function units_of_tiers(sale)
  local units = 0
  for tier = 1, 4 do
    units = units + tonumber(sale['tier_' .. tier .. '_left'] or '0')
  end
  return units
end

local function counters_of(sale_key, stock, waiting, active, ready, purchases, pending, outbox)
  local sale = read_sale(sale_key)
  local number_pending = call('ZCARD', pending)
  return {
    sale_by_clock(sale, now) or '',
    call('GET', stock) or '0',
    sale.released or '0',
    sale.held or '0',
    sale.confirmed or '0',
    call('ZCARD', waiting),
    call('ZCARD', active),
    call('ZCARD', ready),
    call('SCARD', purchases),
    number_pending,
    sale.joined or '0',
    sale.admitted or '0',
    sale.missed or '0',
    sale.turns or '0',
    sale.batch or '0',
    sale.seq or '0',
    sale.epoch or '0',
    sale.version or '0',
    sale.turn_ms or '-1',
    string.format('%d', now),
    call('XLEN', outbox),
    sale.run == redis_run() and '1' or '0',
    next_deadline(sale, pending, number_pending),
    sale.earlier_events or '0',
    string.format('%d', units_of_tiers(sale)),
  }
end

local replies = {}
for first = 1, #KEYS, KEYS_PER_ITEM do
  local ok, counters = pcall(counters_of, unpack(KEYS, first, first + KEYS_PER_ITEM - 1))
  replies[#replies + 1] = ok and table.concat(counters, '|') or ('FAULT ' .. tostring(counters))
end
return replies
