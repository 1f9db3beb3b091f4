#!lua
-- Gives up a session's place at once. A repeat changes nothing and answers the same.
-- KEYS  1 session  2 purchase lock. The product is known from the session only; its keys are built here
--       and lie in the same slot.
-- ARGV  1 and 2: what stands before and after a product id inside a key name  3 session id
-- Reply 'LEFT product' | 'UNKNOWN' | 'GONE product' (bought, or expired for another reason)
local s = redis.call('HMGET', KEYS[1], 'queue_status', 'product_id', 'device', 'ended', 'user')
local state, id = s[1], s[2]
if not state or not id then return 'UNKNOWN' end
if state == 'expired' and s[4] == 'left' then return 'LEFT ' .. id end
if state == 'purchased' or state == 'expired' then return 'GONE ' .. id end
local tag = ARGV[1] .. id .. ARGV[2]
for _, queue in ipairs({ 'waiting', 'active', 'ready' }) do
  redis.call('ZREM', 'queue:' .. queue .. ':product:' .. tag, ARGV[3])
end
local devices = 'queue:devices:product:' .. tag
for _, who in ipairs({ s[3] or '', s[5] or '' }) do
  if redis.call('HGET', devices, who) == ARGV[3] then redis.call('HDEL', devices, who) end
end
redis.call('DEL', KEYS[2])
redis.call('HSET', KEYS[1], 'queue_status', 'expired', 'ended', 'left',
  'queue_position_waiting', '-1', 'queue_position_active', '-1')
return 'LEFT ' .. id
