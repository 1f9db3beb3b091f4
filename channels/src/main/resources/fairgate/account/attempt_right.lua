#!lua
-- Records that an attempt at a password was right: the failures of its network and its device are forgotten,
-- the attempt is given back to the strangers' budget, and the device is known from now on.
-- KEYS  as those of `attempt.lua`
-- ARGV  1 hash of the device, or empty  2 most devices remembered
--       3 life of the devices after the last sign-in (ms)
-- Reply 1
local DEVICES, STRANGERS, NETWORK_DELAY, DEVICE_DELAY = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local DEVICE, MOST_DEVICES, DEVICES_LIFE = ARGV[1], tonumber(ARGV[2]), ARGV[3]

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
  redis.call('ZREMRANGEBYRANK', DEVICES, 0, -MOST_DEVICES - 1)
  redis.call('PEXPIRE', DEVICES, DEVICES_LIFE)
end

redis.call('DEL', NETWORK_DELAY, DEVICE_DELAY)
if not was_known then
  give_back_to_strangers()
end
if DEVICE ~= '' then
  remember_device()
end
return 1
