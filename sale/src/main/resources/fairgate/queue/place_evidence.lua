#!lua
-- Reads what a place tells about its buyer: its device key and its times. Stores the device key of a place
-- that has none; the first key of a place stays.
-- KEYS  1 session
-- ARGV  1 hash of the key, '' to read only
-- Reply {hash of the place's key, '' if it has none; ms since the join; ms since its turn began}. A time is
--       -1 if there is none; without a place all are.
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
local SESSION = KEYS[1]
local HASH = ARGV[1]

local function time_since(time)
  return time and math.max(0, now_ms() - tonumber(time)) or -1
end

if HASH ~= '' and redis.call('EXISTS', SESSION) == 1 then
  redis.call('HSETNX', SESSION, 'device_key', HASH)
end
local place = read_fields(SESSION, 'device_key', 'verified_at', 'purchase_ready_at')
return { place.device_key or '', time_since(place.verified_at), time_since(place.purchase_ready_at) }
