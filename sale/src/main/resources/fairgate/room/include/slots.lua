-- The slots of a room: of visitors inside, and of tickets whose turn has come and that may take theirs until
-- a time. Two sets have the reserved slots, by the end of the reservation and by ticket. At all times the
-- visitors inside and the reserved slots are at most the capacity.
local function reserve(prefix, ticket, until_ms)
  redis.call('ZADD', prefix .. 'reserved', until_ms, ticket)
  redis.call('ZADD', prefix .. 'reserved_order', ticket, ticket)
end

-- Returns true when the ticket had a slot.
local function unreserve(prefix, ticket)
  redis.call('ZREM', prefix .. 'reserved_order', ticket)
  return redis.call('ZREM', prefix .. 'reserved', ticket) == 1
end

local function free_slots(prefix, capacity)
  return capacity - redis.call('ZCARD', prefix .. 'inside') - redis.call('ZCARD', prefix .. 'reserved')
end

-- The admissions that the rate allows now: those left at `tokens_at`, and those since. A fifth of a second's
-- worth can add up, at least one.
local function admissions_allowed(state, rate, now)
  local passed = math.max(0, now - tonumber(state.tokens_at or now))
  return math.min(math.max(1, rate / 5), tonumber(state.tokens or '1') + rate * passed / 1000)
end

local function keep_admissions(state_key, left, now)
  redis.call('HSET', state_key, 'tokens', string.format('%.6f', left), 'tokens_at', now)
end
