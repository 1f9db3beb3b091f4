#!lua
-- Puts one order of the ledger back into a sale that is being rebuilt. A repeat changes nothing. An order that has
-- ended is known again, for money that comes late, and what an older copy says of its buyer is corrected.
-- KEYS  1 sale  2 order  3 session  4 purchases  5 pending orders  6 active  7 ready  8 waiting
--       9 units of the user  10 units of the device
-- ARGV  1 epoch  2 order id  3 session id  4 product id  5 session life, s  6 units of the user in all
--       7 units of the device in all  8 status  9 pay by, ms, then pairs of order field and value
-- Reply 'RESTORED' | 'STALE' (the sale is in another epoch or no longer being rebuilt)
local sale = redis.call('HMGET', KEYS[1], 'epoch', 'state')
if sale[1] ~= ARGV[1] or sale[2] ~= 'rebuilding' then return 'STALE' end
for i = 9, 10 do
  if ARGV[i - 3] == '0' then redis.call('DEL', KEYS[i]) else redis.call('SET', KEYS[i], ARGV[i - 3]) end
end
if ARGV[8] ~= 'pending' and ARGV[8] ~= 'paid' then
  redis.call('HSET', KEYS[2], unpack(ARGV, 10))
  local s = redis.call('HMGET', KEYS[3], 'queue_status', 'order')
  if s[1] == 'purchased' and s[2] == ARGV[2] then
    redis.call('HSET', KEYS[3], 'queue_status', 'expired', 'ended', ARGV[8] == 'expired' and 'unpaid' or 'left')
  end
  return 'RESTORED'
end
redis.call('HSET', KEYS[2], unpack(ARGV, 10))
redis.call('SADD', KEYS[4], ARGV[3])
if ARGV[8] == 'pending' then redis.call('ZADD', KEYS[5], ARGV[9], ARGV[2]) end
for i = 6, 8 do redis.call('ZREM', KEYS[i], ARGV[3]) end
redis.call('HSET', KEYS[1], 'bought', '1')
redis.call('HSET', KEYS[3], 'product_id', ARGV[4], 'queue_status', 'purchased', 'order', ARGV[2],
  'queue_position_waiting', '-1', 'queue_position_active', '-1')
redis.call('EXPIRE', KEYS[3], ARGV[5])
return 'RESTORED'
