#!lua
-- Lets the owner of a paid deposit join once. A repeat changes nothing, whatever has become of the deposit.
-- KEYS  1 sale  2 deposits of the sale: what has each, and the newest of each owner
-- ARGV  1 deposit id  2 owner: the account or the hash of the device  3 amount in minor units  4 currency
-- Reply 'PUT' | 'KNOWN' (it was put before) | 'RETRY' (no such sale, or it was not compared with the ledger
--       since Redis started)
--@include fairgate/catalog/include/fields.lua
--@include fairgate/sale/include/redis_restart.lua
local SALE, DEPOSITS = unpack(KEYS)
local ID, OWNER, AMOUNT, CURRENCY = unpack(ARGV)

local sale = read_fields(SALE, 'state', 'run')
if not sale.state or has_restarted_since(sale.run) then
  return 'RETRY'
end
if redis.call('HSETNX', DEPOSITS, ID, 'free') == 0 then
  return 'KNOWN'
end
redis.call('HSET', DEPOSITS, OWNER, ID .. ' ' .. AMOUNT, ID .. ':currency', CURRENCY)
return 'PUT'
