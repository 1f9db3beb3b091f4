#!lua
-- Says how far those have come who were waiting a moment ago, and nothing else of them. Notes nothing.
-- KEYS  1 sale  2 waiting  3 active  4 ready  5 stock
-- ARGV  one session id per item
-- Reply per item: its position in waiting, or '' where status.lua has to tell: it is not there, or the sale is over; behind
--       all items what they share: total waiting, total active, ms per turn or -1, sale state, stock, active and not ready,
--       now, token required, epoch: joined by '|'
local call = redis.call
local t = call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local sale = call('HMGET', KEYS[1], 'state', 'opens_at', 'closes_at', 'turn_ms', 'token', 'epoch')
local state, opens, closes = sale[1], tonumber(sale[2] or '0'), tonumber(sale[3] or '0')
if state == 'scheduled' and opens > 0 and now >= opens then state = 'open' end
local over = not state or state == 'closed' or (closes > 0 and now >= closes)
local waiting, active, ready = call('ZCARD', KEYS[2]), call('ZCARD', KEYS[3]), call('ZCARD', KEYS[4])
local queue, replies = KEYS[2], {}
for i = 1, #ARGV do
  replies[i] = not over and call('ZRANK', queue, ARGV[i]) or ''
end
replies[#ARGV + 1] = string.format('%d|%d|%s|%s|%s|%d|%d|%s|%s', waiting, active, sale[4] or '-1', state or 'unknown',
  call('GET', KEYS[5]) or '0', active - ready, now, sale[5] or '0', sale[6] or '0')
return replies
