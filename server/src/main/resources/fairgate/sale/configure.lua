#!lua
-- Brings a sale's policy and state to a version of the catalog. Older versions change nothing, so any node
-- may send what it knows at any time. Never touches stock or a live counter.
-- KEYS  1 sale  2 ready
-- ARGV  1 version  2 state  3 session key prefix  4 lock key prefix  5 '1' to create a sale that is not there
--       6 epoch of a sale created here, then pairs of policy field and value. Keys of sessions found here
--       are built from the prefixes and lie in the same slot.
-- Reply 'APPLIED' | 'SAME' (this or a newer version is in force, or the sale is being rebuilt) | 'MISSING'
local sale = redis.call('HMGET', KEYS[1], 'version', 'state', 'paused_at')
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
if not sale[2] then
  if ARGV[5] ~= '1' then return 'MISSING' end
  redis.call('HSET', KEYS[1], 'epoch', ARGV[6], 'released', 0, 'held', 0, 'confirmed', 0, 'batch', 0, 'seq', 0,
    'run', string.match(redis.call('INFO', 'server'), 'run_id:(%x+)'))
elseif sale[2] == 'rebuilding' or tonumber(sale[1]) >= tonumber(ARGV[1]) then
  return 'SAME'
end
if ARGV[2] == 'paused' and sale[2] ~= 'paused' then
  redis.call('HSET', KEYS[1], 'paused_at', now)
elseif ARGV[2] == 'open' and sale[2] == 'paused' then
  -- The pause does not count: every running purchase window is given the time back.
  local pause = now - tonumber(sale[3] or now)
  local ready = redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')
  for i = 1, #ready, 2 do
    local ends = tonumber(ready[i + 1]) + pause
    redis.call('ZADD', KEYS[2], ends, ready[i])
    redis.call('SET', ARGV[4] .. ready[i], ends, 'PXAT', math.max(ends, now + 1))
    -- A session that has died of age stays gone: writing to it would make one without a TTL.
    if redis.call('EXISTS', ARGV[3] .. ready[i]) == 1 then
      redis.call('HSET', ARGV[3] .. ready[i], 'purchase_timeout_at', ends)
    end
  end
  redis.call('HDEL', KEYS[1], 'paused_at', 'turn_at')
end
redis.call('HSET', KEYS[1], 'version', ARGV[1], 'state', ARGV[2], unpack(ARGV, 7))
return 'APPLIED'
