#!lua
-- Undoes the failure that `attempt.lua` counted, because the password was correct: clears the delays of the
-- network and of the device, gives the attempt back to the budget of unknown devices unless the device was
-- known, and remembers the device.
-- KEYS  as those of `attempt.lua`
-- ARGV  1 hash of the device, or empty  2 maximum number of remembered devices
--       3 time for which a device is remembered after its last sign-in (ms)
-- Reply 1
local DEVICES, STRANGERS, NETWORK_DELAY, DEVICE_DELAY = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local DEVICE, MAX_DEVICES, DEVICE_TTL = ARGV[1], tonumber(ARGV[2]), ARGV[3]

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local was_known = DEVICE ~= '' and redis.call('ZSCORE', DEVICES, DEVICE)

local function give_back_to_strangers()
  if tonumber(redis.call('GET', STRANGERS) or '0') > 0 then
    redis.call('DECR', STRANGERS)
  end
end

local function remember_device()
  redis.call('ZADD', DEVICES, string.format('%d', now), DEVICE)
  redis.call('ZREMRANGEBYRANK', DEVICES, 0, -MAX_DEVICES - 1)
  redis.call('ZREMRANGEBYSCORE', DEVICES, '-inf', string.format('(%d', now - DEVICE_TTL))
  redis.call('PEXPIRE', DEVICES, DEVICE_TTL)
end

redis.call('DEL', NETWORK_DELAY, DEVICE_DELAY)
if not was_known then
  give_back_to_strangers()
end
if DEVICE ~= '' then
  remember_device()
end
return 1
