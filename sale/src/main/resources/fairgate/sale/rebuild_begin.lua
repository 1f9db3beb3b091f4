#!lua
-- Begins to rebuild a sale that Redis has lost or holds an older copy of, in a new epoch. Until the end of
-- the rebuild nobody is admitted and nothing is sold. Of several callers only the first begins. Another may
-- begin when the same caller does so again, when Redis has restarted since, or when the rebuild takes too
-- long.
-- KEYS  1 sale  2 stock  3 purchases  4 pending orders
-- ARGV  1 the new epoch, above every earlier one  2 ms after which a rebuild counts as aborted  3 caller
-- Reply 'BEGUN' | 'UNDER_WAY' (the sale is in this or a later epoch, or another rebuild is in progress)
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
--@include fairgate/sale/include/redis_restart.lua
local SALE, STOCK, PURCHASES, PENDING = unpack(KEYS)
local DEPOSITS = string.match(SALE, '^(.*):sale$') .. ':deposits'
local EPOCH, MAX_DURATION_MS, CALLER = unpack(ARGV)

local now = now_ms()
local sale = read_fields(SALE, 'epoch', 'state', 'rebuild_at', 'rebuild_by', 'rebuild_run', 'opens_at',
  'closes_at', 'paused_ms', 'paused_at', 'passed_at')

local function is_being_rebuilt_by_another()
  return sale.state == 'rebuilding'
    and sale.rebuild_by ~= CALLER
    and sale.rebuild_run == redis_run()
    and now - tonumber(sale.rebuild_at or '0') < tonumber(MAX_DURATION_MS)
end

-- Nobody can buy during the rebuild, so sale time stops, as in a pause.
local function stop_sale_time()
  local state, pause = sale_by_clock(sale, now)
  if state == 'open' or sale.paused_at then
    redis.call('HSET', SALE, 'paused_ms', string.format('%d', pause), 'paused_at', string.format('%d', now))
    redis.call('HDEL', SALE, 'passed_at')
  end
end

if is_being_rebuilt_by_another() or tonumber(sale.epoch or '0') >= tonumber(EPOCH) then
  return 'UNDER_WAY'
end
redis.call('DEL', STOCK, PURCHASES, PENDING, DEPOSITS)
stop_sale_time()
redis.call('HDEL', SALE, 'tiers_divided', 'tier_1_left', 'tier_2_left', 'tier_3_left', 'tier_4_left')
redis.call('HSET', SALE, 'epoch', EPOCH, 'state', 'rebuilding', 'version', 0, 'released', 0, 'held', 0,
  'confirmed', 0, 'batch', 0, 'seq', 0, 'rebuild_at', now, 'rebuild_by', CALLER, 'rebuild_run', redis_run(),
  'run', '')
return 'BEGUN'
