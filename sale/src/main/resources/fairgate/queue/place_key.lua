#!lua
-- Stores the device key of a place that has none, or reads it. The first key of a place stays.
-- KEYS  1 session
-- ARGV  1 hash of the key, '' to read only
-- Reply the hash of the place's key, '' if the place has none or does not exist
local SESSION = KEYS[1]
local HASH = ARGV[1]

if HASH ~= '' and redis.call('EXISTS', SESSION) == 1 then
  redis.call('HSETNX', SESSION, 'device_key', HASH)
end
return redis.call('HGET', SESSION, 'device_key') or ''
