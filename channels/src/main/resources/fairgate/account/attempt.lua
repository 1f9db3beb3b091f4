#!lua
-- Decides about one attempt at a password: it passes, or it has to wait. An attempt that passes counts as
-- failed until `password_accepted.lua` says otherwise, so many attempts at once are worth no more than one
-- after another. A refused attempt counts nowhere.
--
-- A device that signed in to this name before has a delay of its own. All other attempts share a delay with
-- their network, and one wide budget of the name. A network without failures of its own passes even when that
-- budget is used up: nobody can keep a name's owner out from elsewhere.
-- KEYS  1 devices: a sorted set of device hashes by their last sign-in (ms)
--       2 strangers: attempts of all other devices
--       3, 4 delay of the network, delay of the device: hashes of `failures` and `next` (ms, when the next
--       may pass)
-- ARGV  1 hash of the device, or empty  2 failures without a delay
--       3 first delay (ms), doubled by each further failure  4 longest delay (ms)
--       5 life of a delay after its last attempt (ms)  6 most attempts of strangers
--       7 their window (ms), which begins with the first attempt
-- Reply 0, or the wait (ms)
local DEVICES, STRANGERS, NETWORK_DELAY, DEVICE_DELAY = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local DEVICE = ARGV[1]
local FREE_FAILURES = tonumber(ARGV[2])
local FIRST_DELAY = tonumber(ARGV[3])
local LONGEST_DELAY = tonumber(ARGV[4])
local DELAY_LIFE = ARGV[5]
local BUDGET = tonumber(ARGV[6])
local BUDGET_WINDOW = ARGV[7]

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local is_known = DEVICE ~= '' and redis.call('ZSCORE', DEVICES, DEVICE)
local delay_key = is_known and DEVICE_DELAY or NETWORK_DELAY

-- How long the strangers' budget is used up, ms; 0 while something is left.
local function strangers_wait()
  if tonumber(redis.call('GET', STRANGERS) or '0') < BUDGET then
    return 0
  end
  return math.max(1, redis.call('PTTL', STRANGERS))
end

local function count_stranger()
  if redis.call('INCR', STRANGERS) == 1 then
    redis.call('PEXPIRE', STRANGERS, BUDGET_WINDOW)
  end
end

local function delay_after(failures)
  if failures <= FREE_FAILURES then
    return 0
  end
  -- Doubled thirty times, any delay is past the longest one.
  local doublings = math.min(30, failures - FREE_FAILURES - 1)
  return math.min(LONGEST_DELAY, FIRST_DELAY * 2 ^ doublings)
end

local function wait_of(delay)
  local wait = math.ceil(tonumber(delay.next_at or '0') - now)
  local is_first = tonumber(delay.failures or '0') == 0
  if is_known or is_first then
    return wait
  end
  return math.max(wait, strangers_wait())
end

local function count_failure(delay)
  local failures = tonumber(delay.failures or '0') + 1
  local next_at = now + delay_after(failures)
  redis.call('HSET', delay_key, 'failures', string.format('%d', failures), 'next',
    string.format('%d', next_at))
  redis.call('PEXPIRE', delay_key, DELAY_LIFE)
  if not is_known then
    count_stranger()
  end
end

local fields = redis.call('HMGET', delay_key, 'failures', 'next')
local delay = { failures = fields[1], next_at = fields[2] }
local wait = wait_of(delay)
if wait > 0 then
  return wait
end
count_failure(delay)
return 0
