#!lua
-- Notes how far the work on events is, for many callers at once; only their owner may. Repeats answer the same,
-- but for what ends the ownership: 'done' and 'later'.
-- KEYS  1 inbox  2 pending
-- ARGV  1 owner  2 lease (ms)  3 what 'later' means (ms), then per event: 1 id  2 word: 'keep' (still at it)
--       | 'reply', 'push' (an answer may go out this way from now on) | 'later' (anyone's, and this try did not count)
--       | 'done' (nothing is left to do)
-- Reply one word per event: 'OK' | 'LOST' (it is somebody else's, or done)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local replies = {}
for i = 4, #ARGV, 2 do
  local id, word = ARGV[i], ARGV[i + 1]
  local step, owner, try, payload = string.match(redis.call('HGET', KEYS[1], id) or '', '^(%a+) (%S+) (%d+) (.*)$')
  local reply = 'OK'
  if owner ~= ARGV[1] then
    reply = 'LOST'
  elseif word == 'done' then
    redis.call('HDEL', KEYS[1], id)
    redis.call('ZREM', KEYS[2], id)
  elseif word == 'later' then
    redis.call('HSET', KEYS[1], id, step .. ' - ' .. string.format('%d', try - 1) .. ' ' .. payload)
    redis.call('ZADD', KEYS[2], now + ARGV[3], id)
  else
    redis.call('ZADD', KEYS[2], now + ARGV[2], id)
    if word ~= 'keep' and word ~= step then
      redis.call('HSET', KEYS[1], id, word .. ' ' .. owner .. ' ' .. try .. ' ' .. payload)
    end
  end
  replies[#replies + 1] = reply
end
return replies
