-- Pauses of buyers: after a missed turn, and after an order that was cancelled or not paid, a buyer cannot
-- join the sale again for a while. Each pause of a day is twice as long as the one before, up to sixteen
-- times the first. The key of a pause holds its reason: 'missed' or 'unpaid'.
local MAX_DOUBLINGS = 4
local PAUSES_COUNT_FOR_SECONDS = 86400

-- `first_seconds` is the length of the first pause; with 0 there are none.
local function start_pause(cooldown_key, first_seconds, reason)
  if first_seconds <= 0 then
    return
  end
  local count_key = string.gsub(cooldown_key, ':cooldown$', ':pauses')
  local earlier = redis.call('INCR', count_key) - 1
  redis.call('EXPIRE', count_key, PAUSES_COUNT_FOR_SECONDS)
  local seconds = first_seconds * 2 ^ math.min(earlier, MAX_DOUBLINGS)
  redis.call('SET', cooldown_key, reason, 'EX', string.format('%d', seconds))
end
