#!lua
-- Books a payment on an order: pending becomes paid; late money is taken up again or is due back.
-- KEYS 1 sale, 2 stock, 3 order, 4 session, 5 purchases, 6 pending, 7 outbox, 8 user bought, 9 device bought
-- ARGV 1 order id, 2 session, 3 user, 4 device, 5 payment id, 6 amount in minor units, 7 currency,
--      8 late money: 'rehold' or 'refund'
-- Replies {word, status, version}:
--   CONFIRMED   pending became paid
--   LATE        cancelled or expired became paid: the units were still free and no limit forbade it
--   ALREADY     paid with this very payment; nothing changed
--   REFUND_DUE  the money has to go back (second payment, wrong amount, too late); told once
--   UNKNOWN     no such order; nothing changed
--   RETRY       KEYS name another session, user or device than the order, or the sale has not been compared
--             with the ledger since Redis started; nothing changed
local sale, stock, order, session = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local payment = ARGV[5]
local f = redis.call('HMGET', order, 'session', 'user', 'device', 'quantity', 'amount', 'currency', 'status',
  'version', 'pay_by', 'payment')
if not f[1] then return {'UNKNOWN', '', 0} end
local run = redis.call('HGET', sale, 'run')
local doubted = run and run ~= string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
if doubted or f[1] ~= ARGV[2] or f[2] ~= ARGV[3] or f[3] ~= ARGV[4] then return {'RETRY', f[7], f[8]} end
local q, status, version = tonumber(f[4]), f[7], tonumber(f[8])
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))

local function tell(kind, reason, ...)
  redis.call('XADD', KEYS[7], '*', 'seq', redis.call('HINCRBY', sale, 'seq', 1),
    'epoch', redis.call('HGET', sale, 'epoch') or '0', 'kind', kind, 'order', ARGV[1], 'session', f[1],
    'user', f[2], 'device', f[3], 'quantity', q, 'amount', f[5], 'currency', f[6], 'status', status,
    'version', version, 'pay_by', f[9], 'at', now, 'reason', reason, 'payment', payment, ...)
end

local function back(reason)
  if redis.call('HSETNX', order, 'refund:' .. payment, 1) == 1 then
    tell('refund_due', reason, 'refund_amount', ARGV[6], 'refund_currency', ARGV[7])
  end
  return {'REFUND_DUE', status, version}
end

local function paid(reason)
  status, version = 'paid', version + 1
  redis.call('HINCRBY', sale, 'confirmed', q)
  redis.call('HSET', order, 'status', status, 'payment', payment, 'version', version, 'updated_at', now)
  redis.call('ZREM', KEYS[6], ARGV[1])
  tell('confirmed', reason)
end

-- A payment once told to go back never buys anything, whatever has become free since.
if redis.call('HEXISTS', order, 'refund:' .. payment) == 1 then return {'REFUND_DUE', status, version} end
if f[10] == payment then return {'ALREADY', status, version} end
if ARGV[6] ~= f[5] or ARGV[7] ~= f[6] then return back('amount') end
if status == 'pending' then
  redis.call('HINCRBY', sale, 'held', -q)
  paid('')
  return {'CONFIRMED', status, version}
end
if status ~= 'cancelled' and status ~= 'expired' then return back('second') end

local limit = redis.call('HMGET', sale, 'max_user', 'max_device')
local function over(key, most)
  most = tonumber(most or '0')
  return most > 0 and tonumber(redis.call('GET', key) or '0') + q > most
end
if ARGV[8] ~= 'rehold' or tonumber(redis.call('GET', stock) or '0') < q or over(KEYS[8], limit[1])
  or over(KEYS[9], limit[2]) or redis.call('SISMEMBER', KEYS[5], f[1]) == 1 then
  return back('late')
end
redis.call('DECRBY', stock, q)
redis.call('INCRBY', KEYS[8], q)
redis.call('INCRBY', KEYS[9], q)
redis.call('SADD', KEYS[5], f[1])
if redis.call('HGET', session, 'queue_status') == 'expired' then
  redis.call('HSET', session, 'queue_status', 'purchased', 'order', ARGV[1])
  redis.call('HDEL', session, 'ended')
end
paid('late')
return {'LATE', status, version}
