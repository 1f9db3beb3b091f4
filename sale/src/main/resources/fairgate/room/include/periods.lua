-- Presence is recorded by periods in which visitors are heard. A period begins with the first contact after
-- the one before it has lasted its time. So an outage, and a time in which nobody comes, counts for nobody.
-- Needs tickets.lua.
local SEEN_MS = 86400000

-- Tickets that were seen in one period.
local function here_key(prefix, period, block)
  return string.format('%shere:%d:%d', prefix, period, block)
end

-- Begins a period in which all who wait can be heard: the next two are whole periods without a sweep.
local function begin_first_period(state_key, period, now)
  redis.call('HSET', state_key, 'period', period, 'period_at', now, 'swept', period + 1)
end

-- The period of a contact now. Needs the fields period and period_at of the state.
local function period_of_contact(state_key, state, now, period_ms)
  if not state.period then
    -- The numbers of an earlier release, which were periods of the clock, are all smaller.
    local first = math.floor(now / period_ms) + 1
    begin_first_period(state_key, first, now)
    return first
  end
  local period = tonumber(state.period)
  if now - tonumber(state.period_at) >= period_ms then
    period = period + 1
    redis.call('HSET', state_key, 'period', period, 'period_at', now)
  end
  return period
end

local function keep_present(prefix, period, ticket)
  local key = here_key(prefix, period, block_of(ticket))
  redis.call('SETBIT', key, offset_of(ticket), 1)
  redis.call('PEXPIRE', key, SEEN_MS)
end
