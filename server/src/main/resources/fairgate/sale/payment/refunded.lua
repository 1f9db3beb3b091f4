#!lua
-- Marks a payment as given back; an order that was paid with it becomes refunded and its units are free again.
-- KEYS 1 sale, 2 stock, 3 order, 4 session, 5 purchases, 6 pending, 7 outbox, 8 user bought, 9 device bought
-- ARGV 1 order id, 2 session, 3 user, 4 device, 5 payment id, 6 amount in minor units, 7 currency
-- Replies {word, status, version}:
--   REFUNDED  the order was paid with it and is refunded now
--   MARKED    it was a payment the order does not stand on; the order stays as it is
--   ALREADY   it was marked before; nothing changed
--   NOT_DUE   nobody said that this payment is to go back; nothing changed
--   UNKNOWN   no such order; nothing changed
--   RETRY     KEYS name another session, user or device than the order, or the sale has not been compared
--             with the ledger since Redis started; nothing changed
local sale, order, session, payment = KEYS[1], KEYS[3], KEYS[4], ARGV[5]
local field = 'refund:' .. payment
local f = redis.call('HMGET', order, 'session', 'user', 'device', 'quantity', 'amount', 'currency', 'status',
  'version', 'pay_by', 'payment', field)
if not f[1] then return {'UNKNOWN', '', 0} end
local run = redis.call('HGET', sale, 'run')
local doubted = run and run ~= string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
if doubted or f[1] ~= ARGV[2] or f[2] ~= ARGV[3] or f[3] ~= ARGV[4] then return {'RETRY', f[7], f[8]} end
local q, status, version, mark = tonumber(f[4]), f[7], tonumber(f[8]), f[11]
if mark == '2' then return {'ALREADY', status, version} end
if mark ~= '1' then return {'NOT_DUE', status, version} end
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))

local word = 'MARKED'
redis.call('HSET', order, field, 2, 'updated_at', now)
if status == 'paid' and f[10] == payment then
  word, status, version = 'REFUNDED', 'refunded', version + 1
  redis.call('HSET', order, 'status', status, 'version', version)
  redis.call('HINCRBY', sale, 'confirmed', -q)
  redis.call('INCRBY', KEYS[2], q)
  redis.call('DECRBY', KEYS[8], q)
  redis.call('DECRBY', KEYS[9], q)
  redis.call('SREM', KEYS[5], f[1])
  if redis.call('HGET', session, 'queue_status') == 'purchased' then
    redis.call('HSET', session, 'queue_status', 'expired', 'ended', 'refunded')
  end
end
redis.call('XADD', KEYS[7], '*', 'seq', redis.call('HINCRBY', sale, 'seq', 1),
  'epoch', redis.call('HGET', sale, 'epoch') or '0', 'kind', 'refunded', 'order', ARGV[1], 'session', f[1],
  'user', f[2], 'device', f[3], 'quantity', q, 'amount', f[5], 'currency', f[6], 'status', status,
  'version', version, 'pay_by', f[9], 'at', now, 'reason', '', 'payment', payment,
  'refund_amount', ARGV[6], 'refund_currency', ARGV[7])
return {word, status, version}
