-- Time of the Redis server since 1970, whole microseconds.
local function now_us()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- The same in whole milliseconds.
local function now_ms()
  return math.floor(now_us() / 1000)
end
