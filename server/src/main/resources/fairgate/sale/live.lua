#!lua
-- The live counters of a sale, all of one instant.
-- KEYS  1 sale  2 stock  3 waiting  4 active  5 ready  6 purchases  7 pending  8 outbox
-- Reply {state, free, released, held, confirmed, waiting, active, ready, purchases, pending, joined, admitted,
--        missed, turns, batch, seq, epoch, version, ms per turn, now in ms, outbox entries, 1 when it was compared
--        with the ledger since Redis started, else 0}; '' where unknown
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local s = redis.call('HMGET', KEYS[1], 'state', 'opens_at', 'closes_at', 'released', 'held', 'confirmed',
  'joined', 'admitted', 'missed', 'turns', 'batch', 'seq', 'epoch', 'version', 'turn_ms', 'run')
local state, opens, closes = s[1] or '', tonumber(s[2] or '0'), tonumber(s[3] or '0')
if state == 'scheduled' and opens > 0 and now >= opens then state = 'open' end
if state ~= '' and closes > 0 and now >= closes then state = 'closed' end
return { state, redis.call('GET', KEYS[2]) or '0', s[4] or '0', s[5] or '0', s[6] or '0',
  redis.call('ZCARD', KEYS[3]), redis.call('ZCARD', KEYS[4]), redis.call('ZCARD', KEYS[5]),
  redis.call('SCARD', KEYS[6]), redis.call('ZCARD', KEYS[7]), s[7] or '0', s[8] or '0', s[9] or '0',
  s[10] or '0', s[11] or '0', s[12] or '0', s[13] or '0', s[14] or '0', s[15] or '-1', now,
  redis.call('XLEN', KEYS[8]),
  s[16] == string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') and 1 or 0 }
