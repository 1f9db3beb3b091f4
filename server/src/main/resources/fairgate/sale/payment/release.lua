#!lua
-- Ends a reservation that was not paid: pending becomes cancelled or expired, the units are free again.
-- KEYS 1 sale, 2 stock, 3 order, 4 session, 5 purchases, 6 pending, 7 outbox, 8 user bought, 9 device bought,
--      10 devices, 11 user cooldown, 12 device cooldown
-- ARGV 1 order id, 2 session, 3 user, 4 device, 5 'cancelled' (any time) or 'expired' (from pay_by on)
-- Replies {word, status, version}:
--   RELEASED  pending became cancelled or expired
--   ALREADY   it was cancelled, expired or refunded before; nothing changed
--   PAID      it is paid; nothing changed
--   NOT_DUE   'expired' was asked before pay_by; nothing changed
--   UNKNOWN   no such order; nothing changed
--   RETRY     KEYS name another session, user or device than the order, or the sale has not been compared
--             with the ledger since Redis started; nothing changed
local sale, order, session, reason = KEYS[1], KEYS[3], KEYS[4], ARGV[5]
local f = redis.call('HMGET', order, 'session', 'user', 'device', 'quantity', 'amount', 'currency', 'status',
  'version', 'pay_by', 'payment')
if not f[1] then return {'UNKNOWN', '', 0} end
local run = redis.call('HGET', sale, 'run')
local doubted = run and run ~= string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
if doubted or f[1] ~= ARGV[2] or f[2] ~= ARGV[3] or f[3] ~= ARGV[4] then return {'RETRY', f[7], f[8]} end
local q, status, version, payBy = tonumber(f[4]), f[7], tonumber(f[8]), tonumber(f[9] or '0')
if status == 'paid' then return {'PAID', status, version} end
if status ~= 'pending' then return {'ALREADY', status, version} end
local time = redis.call('TIME')
local ms = time[1] * 1000 + math.floor(time[2] / 1000)
if reason == 'expired' and (payBy == 0 or ms < payBy) then return {'NOT_DUE', status, version} end
local now = string.format('%.0f', ms)

status, version = reason, version + 1
redis.call('INCRBY', KEYS[2], q)
redis.call('HINCRBY', sale, 'held', -q)
redis.call('DECRBY', KEYS[8], q)
redis.call('DECRBY', KEYS[9], q)
redis.call('SREM', KEYS[5], f[1])
redis.call('ZREM', KEYS[6], ARGV[1])
redis.call('HSET', order, 'status', status, 'version', version, 'updated_at', now)
if redis.call('HGET', session, 'queue_status') == 'purchased' then
  local ended = reason == 'expired' and 'unpaid' or 'left'
  redis.call('HSET', session, 'queue_status', 'expired', 'ended', ended)
end
if redis.call('HGET', KEYS[10], f[3]) == f[1] then redis.call('HDEL', KEYS[10], f[3]) end
local cooldown = tonumber(redis.call('HGET', sale, 'cooldown_s') or '0')
if reason == 'expired' and cooldown > 0 then
  local till = string.format('%.0f', ms + cooldown * 1000)
  redis.call('SET', KEYS[11], till, 'EX', cooldown)
  redis.call('SET', KEYS[12], till, 'EX', cooldown)
end
redis.call('XADD', KEYS[7], '*', 'seq', redis.call('HINCRBY', sale, 'seq', 1),
  'epoch', redis.call('HGET', sale, 'epoch') or '0', 'kind', 'released', 'order', ARGV[1], 'session', f[1],
  'user', f[2], 'device', f[3], 'quantity', q, 'amount', f[5], 'currency', f[6], 'status', status,
  'version', version, 'pay_by', f[9], 'at', now, 'reason', reason, 'payment', f[10] or '')
return {'RELEASED', status, version}
