#!lua
-- Says that a paid order's money is to go back, on purpose; the units stay sold until it has gone.
-- KEYS 1 sale, 2 order, 3 outbox
-- ARGV 1 order id, 2 reason
-- Replies {word, status, version}:
--   ASKED    told the ledger; the refund worker gives the money back
--   ALREADY  it was asked before, or given back; nothing changed
--   UNPAID   there is no payment to give back; nothing changed
--   UNKNOWN  no such order; nothing changed
--   RETRY    the sale has not been compared with the ledger since Redis started; nothing changed
local sale, order = KEYS[1], KEYS[2]
local f = redis.call('HMGET', order, 'session', 'user', 'device', 'quantity', 'amount', 'currency', 'status',
  'version', 'pay_by', 'payment')
if not f[1] then return {'UNKNOWN', '', 0} end
local run = redis.call('HGET', sale, 'run')
if run and run ~= string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') then return {'RETRY', f[7], f[8]} end
if f[7] == 'refunded' then return {'ALREADY', f[7], f[8]} end
if f[7] ~= 'paid' or not f[10] or f[10] == '' then return {'UNPAID', f[7], f[8]} end
if redis.call('HSETNX', order, 'refund:' .. f[10], 1) == 0 then return {'ALREADY', f[7], f[8]} end
local time = redis.call('TIME')
redis.call('XADD', KEYS[3], '*', 'seq', redis.call('HINCRBY', sale, 'seq', 1),
  'epoch', redis.call('HGET', sale, 'epoch') or '0', 'kind', 'refund_due', 'order', ARGV[1], 'session', f[1],
  'user', f[2], 'device', f[3], 'quantity', f[4], 'amount', f[5], 'currency', f[6], 'status', f[7],
  'version', f[8], 'pay_by', f[9], 'at', string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)),
  'reason', ARGV[2], 'payment', f[10], 'refund_amount', f[5], 'refund_currency', f[6])
return {'ASKED', f[7], f[8]}
