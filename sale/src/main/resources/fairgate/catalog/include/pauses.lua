-- Pauses of buyers: after a missed turn, and after an order that was cancelled or not paid, a buyer cannot
-- join the sale again for a while. Each pause of a day is twice as long as the one before, up to sixteen
-- times the first. The key of a pause holds its reason: 'missed' or 'unpaid'. A caller without a cookie may
-- be the one of the last turn of its address, so it pauses with the address.
local MAX_DOUBLINGS = 4
local PAUSES_COUNT_FOR_SECONDS = 86400

local function pauses_key(cooldown_key)
  return (string.gsub(cooldown_key, ':cooldown$', ':pauses'))
end

local function pause_seconds(first_seconds, earlier_pauses)
  return first_seconds * 2 ^ math.min(earlier_pauses, MAX_DOUBLINGS)
end

-- The beginning of the keys of an address, in which callers without a cookie pause together: the address of
-- IPv4, the /56 of IPv6. `networks` are those of a session or an order. Nil where the sale limits no places
-- of an address, or counts no networks of this caller.
local function address_prefix(event_prefix, sale, networks)
  local all = {}
  for network in string.gmatch(networks or '', '%S+') do
    all[#all + 1] = network
  end
  local network = all[3] and all[2] or all[1]
  return network and tonumber(sale.places_ip or '0') > 0 and event_prefix .. ':net:' .. network
end

-- `first_seconds` is the length of the first pause; with 0 there are none.
local function start_pause(cooldown_key, first_seconds, reason)
  if first_seconds <= 0 then
    return
  end
  local count_key = pauses_key(cooldown_key)
  local earlier = redis.call('INCR', count_key) - 1
  redis.call('EXPIRE', count_key, PAUSES_COUNT_FOR_SECONDS)
  local seconds = pause_seconds(first_seconds, earlier)
  redis.call('SET', cooldown_key, reason, 'EX', string.format('%d', seconds))
end

-- Ends a pause as if it had not been: the next one is no longer than it would be without it. Returns whether
-- there was one.
local function end_pause(cooldown_key)
  local ended = redis.call('DEL', cooldown_key) == 1
  local count_key = pauses_key(cooldown_key)
  if ended and tonumber(redis.call('GET', count_key) or '0') > 0 then
    redis.call('DECR', count_key)
  end
  return ended
end

-- Time until the pause is over, ms; 0 without one. For a turn that is over and whose pause has not begun
-- yet, `starts_after` is the length of the first pause in seconds, else 0.
local function pause_left_ms(cooldown_key, starts_after)
  local left = redis.call('PTTL', cooldown_key)
  if left > 0 or starts_after <= 0 then
    return math.max(0, left)
  end
  return 1000 * pause_seconds(starts_after, tonumber(redis.call('GET', pauses_key(cooldown_key)) or '0'))
end
