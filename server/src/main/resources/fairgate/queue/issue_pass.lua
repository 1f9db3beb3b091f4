#!lua
-- Gives a ready session its purchase token, or the one it has while more than half of its life is left.
-- KEYS  1 sale  2 session  3 record of the new token
-- ARGV  1 session id  2 id of the new token
-- Reply 'TOKEN id expiry' | 'NOT_READY'
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local ttl = tonumber(redis.call('HGET', KEYS[1], 'token_ttl_ms') or '0')
local s = redis.call('HMGET', KEYS[2], 'queue_status', 'purchase_timeout_at', 'token', 'token_expiry')
if ttl <= 0 or s[1] ~= 'ready_to_purchase' or tonumber(s[2] or '0') <= now then return 'NOT_READY' end
if s[3] and tonumber(s[4]) - now > ttl / 2 then return 'TOKEN ' .. s[3] .. ' ' .. s[4] end
local expiry = math.min(now + ttl, tonumber(s[2]))
redis.call('HSET', KEYS[3], 'session', ARGV[1], 'used', '0', 'expiry', expiry)
redis.call('PEXPIREAT', KEYS[3], expiry)
redis.call('HSET', KEYS[2], 'token', ARGV[2], 'token_expiry', expiry)
return 'TOKEN ' .. ARGV[2] .. ' ' .. string.format('%.0f', expiry)
