#!lua
-- Reads what places tell about their buyers, many per run: their device keys and times. Stores the device key
-- of a place that has none; the first key of a place stays.
-- KEYS  one session per item
-- ARGV  one hash of a key per item, '' to read only
-- Reply per item, joined by '|': hash of the place's key, '' if it has none; ms since the join; ms since its
--       turn began. A time is -1 if there is none; without a place both are.
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
local now = now_ms()

local function time_since(time)
  return time and math.max(0, now - tonumber(time)) or -1
end

local function evidence_of(session, hash)
  if hash ~= '' and redis.call('EXISTS', session) == 1 then
    redis.call('HSETNX', session, 'device_key', hash)
  end
  local place = read_fields(session, 'device_key', 'verified_at', 'purchase_ready_at')
  return string.format('%s|%d|%d', place.device_key or '', time_since(place.verified_at),
    time_since(place.purchase_ready_at))
end

local replies = {}
for i, hash in ipairs(ARGV) do
  replies[i] = evidence_of(KEYS[i], hash)
end
return replies
