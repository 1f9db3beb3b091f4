#!lua
-- Reads the live counters of a sale, all at one instant.
-- KEYS  1 sale  2 stock  3 waiting  4 active  5 ready  6 purchases  7 pending orders  8 outbox
-- Reply {state, free units, released, held, confirmed, waiting, active, ready, purchases, pending orders,
--       joined, admitted, missed, turns, batch, seq, epoch, version, ms per turn, now in ms, outbox entries,
--       1 if the sale was compared with the ledger since Redis started, else 0, next payment deadline in ms
--       or 0, events of earlier epochs that the counters include, units of tiers}. Without a sale the state
--       is '', and ms per turn is -1 where unknown.
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
--@include fairgate/sale/include/redis_restart.lua
local call = redis.call
local SALE, STOCK, WAITING, ACTIVE, READY, PURCHASES, PENDING, OUTBOX = unpack(KEYS)

local now = now_ms()
local sale = read_fields(SALE, 'state', 'opens_at', 'closes_at', 'released', 'held', 'confirmed', 'joined',
  'admitted', 'missed', 'turns', 'batch', 'seq', 'epoch', 'version', 'turn_ms', 'run', 'earlier_events',
  'tier_1_left', 'tier_2_left', 'tier_3_left', 'tier_4_left', unpack(PAYMENT_TIME_FIELDS))

local function next_deadline()
  local first = call('ZRANGE', PENDING, 0, 0, 'WITHSCORES')
  if not first[2] then
    return '0'
  end
  return string.format('%.0f', first[2] + payment_pause(sale, now))
end

local function units_of_tiers()
  local units = 0
  for tier = 1, 4 do
    units = units + tonumber(sale['tier_' .. tier .. '_left'] or '0')
  end
  return units
end

return {
  sale_by_clock(sale, now) or '',
  call('GET', STOCK) or '0',
  sale.released or '0',
  sale.held or '0',
  sale.confirmed or '0',
  call('ZCARD', WAITING),
  call('ZCARD', ACTIVE),
  call('ZCARD', READY),
  call('SCARD', PURCHASES),
  call('ZCARD', PENDING),
  sale.joined or '0',
  sale.admitted or '0',
  sale.missed or '0',
  sale.turns or '0',
  sale.batch or '0',
  sale.seq or '0',
  sale.epoch or '0',
  sale.version or '0',
  sale.turn_ms or '-1',
  now,
  call('XLEN', OUTBOX),
  sale.run == redis_run() and 1 or 0,
  next_deadline(),
  sale.earlier_events or '0',
  units_of_tiers(),
}
