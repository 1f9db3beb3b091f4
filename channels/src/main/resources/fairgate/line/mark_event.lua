#!lua
-- Records the progress of events for a batch of callers. Only an event's owner may do so. A repeat has the
-- same reply, except for 'done' and 'later', which end the ownership.
-- KEYS  1 inbox  2 pending
-- ARGV  1 owner  2 lease (ms)  3 delay of 'later' (ms), then per event: 1 id  2 progress: 'keep' (renew the
--       lease) | 'reply', 'push' (an answer may be sent through this channel from now on) | 'later' (release
--       after the delay, and do not count this try) | 'done' (settled)
-- Reply one word per event: 'OK' | 'LOST' (the caller does not own it, or it is settled)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local replies = {}
for i = 4, #ARGV, 2 do
  local id, progress = ARGV[i], ARGV[i + 1]
  local event = redis.call('HGET', KEYS[1], id) or ''
  local step, owner, try, payload = string.match(event, '^(%a+) (%S+) (%d+) (.*)$')
  local reply = 'OK'
  if owner ~= ARGV[1] then
    reply = 'LOST'
  elseif progress == 'done' then
    redis.call('HDEL', KEYS[1], id)
    redis.call('ZREM', KEYS[2], id)
  elseif progress == 'later' then
    redis.call('HSET', KEYS[1], id, step .. ' - ' .. string.format('%d', try - 1) .. ' ' .. payload)
    redis.call('ZADD', KEYS[2], now + ARGV[3], id)
  else
    redis.call('ZADD', KEYS[2], now + ARGV[2], id)
    if progress ~= 'keep' and progress ~= step then
      redis.call('HSET', KEYS[1], id, progress .. ' ' .. owner .. ' ' .. try .. ' ' .. payload)
    end
  end
  replies[#replies + 1] = reply
end
return replies
