#!lua
-- Tells the queue who is first on the waiting list of its sale, and whether the turn of this person has come.
-- There is one order of waiting: places that began to wait before the registration come first, then the
-- person, then later places. The latter are not admitted as long as the person can be served, see admit.lua.
-- The notice is in force until the next one, also while PostgreSQL cannot be asked for the list. It is
-- repeated every second. An older one may be of a list that has ended: admit.lua reports it, and the queue's
-- loop has PostgreSQL asked.
-- KEYS  1 sale  2 waiting  3 active  4 stock
-- ARGV  1 time of the registration, ms; 0 if nobody is on the list  2 seat: '' for the order of registration,
--       'behind' for a person behind others, see seats.lua  3 units wished  4 number of people on the list;
--       then the time of the registration and the seat of the first, and of others at equal distances
-- Reply 'TURN' | 'WAIT' (an earlier place is there, too few units are free, the sale is not open or was not
--       compared with the ledger since Redis started) | 'NO_SALE'
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
--@include fairgate/catalog/include/seats.lua
--@include fairgate/sale/include/redis_restart.lua
local call = redis.call
local SALE, WAITING, ACTIVE, STOCK = unpack(KEYS)
local SINCE, SEAT, UNITS = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local FIRST_OF_LIST = 5

local now = now_ms()
local sale = read_fields(SALE, 'state', 'opens_at', 'closes_at', 'paused_ms', 'paused_at', 'passed_at', 'run')
if not sale.state then
  return 'NO_SALE'
end
if SINCE == 0 then
  call('HDEL', SALE, 'list_from', 'list_units', 'list_told_at', 'list')
  return 'WAIT'
end
local from = score_at(SINCE * 1000, SEAT)
local list = { ARGV[4] }
for i = FIRST_OF_LIST, #ARGV, 2 do
  list[#list + 1] = score_at(ARGV[i] * 1000, ARGV[i + 1])
end
call('HSET', SALE, 'list_from', from, 'list_units', UNITS, 'list_told_at', string.format('%d', now),
  'list', table.concat(list, ' '))

local is_open = sale_by_clock(sale, now) == 'open' and not has_restarted_since(sale.run)
local has_units = tonumber(call('GET', STOCK) or '0') >= UNITS
-- Later places are not in active, because they are not admitted.
local is_first = call('ZCARD', ACTIVE) == 0 and call('ZCOUNT', WAITING, '-inf', '(' .. from) == 0
return is_open and has_units and is_first and 'TURN' or 'WAIT'
