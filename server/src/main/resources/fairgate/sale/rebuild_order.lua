#!lua
-- Puts one live order of the ledger back into a sale that is being rebuilt. A repeat changes nothing.
-- KEYS  1 sale  2 order  3 session  4 purchases  5 pending orders  6 active  7 ready  8 waiting
--       9 units of the user  10 units of the device
-- ARGV  1 epoch  2 order id  3 session id  4 product id  5 session life, s  6 units of the user in all
--       7 units of the device in all  8 status  9 pay by, ms, then pairs of order field and value
-- Reply 'RESTORED' | 'STALE' (the sale is in another epoch or no longer being rebuilt)
local sale = redis.call('HMGET', KEYS[1], 'epoch', 'state')
if sale[1] ~= ARGV[1] or sale[2] ~= 'rebuilding' then return 'STALE' end
redis.call('HSET', KEYS[2], unpack(ARGV, 10))
redis.call('SADD', KEYS[4], ARGV[3])
if ARGV[8] == 'pending' then redis.call('ZADD', KEYS[5], ARGV[9], ARGV[2]) end
for i = 6, 8 do redis.call('ZREM', KEYS[i], ARGV[3]) end
redis.call('SET', KEYS[9], ARGV[6])
redis.call('SET', KEYS[10], ARGV[7])
redis.call('HSET', KEYS[1], 'bought', '1')
redis.call('HSET', KEYS[3], 'product_id', ARGV[4], 'queue_status', 'purchased', 'order', ARGV[2],
  'queue_position_waiting', '-1', 'queue_position_active', '-1')
redis.call('EXPIRE', KEYS[3], ARGV[5])
return 'RESTORED'
