#!lua
-- Issues a purchase token to a ready session. Returns its present token while more than half of that one's
-- life is left.
-- KEYS  1 sale  2 session  3 the new token
-- ARGV  1 session id  2 id of the new token
-- Reply 'TOKEN id expiry' (ms of Redis time) | 'NOT_READY' (or its turn has not begun, or the sale issues no
--       tokens)
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
local SALE, SESSION, NEW_TOKEN = unpack(KEYS)
local SESSION_ID, NEW_TOKEN_ID = unpack(ARGV)

local now = now_ms()
local sale = read_fields(SALE, 'token_ttl_ms', 'state', 'opens_at', 'closes_at', 'paused_ms', 'paused_at',
  'passed_at', 'jitter_ms')
local session = read_fields(SESSION, 'queue_status', 'purchase_ready_at', 'purchase_timeout_at', 'token',
  'token_expiry')
local token_life = tonumber(sale.token_ttl_ms or '0')
local _, pause = sale_by_clock(sale, now)
local window_ends = tonumber(session.purchase_timeout_at or '0') + pause
local has_turn = session.queue_status == 'ready_to_purchase'
  and ms_until_turn(sale, session.purchase_ready_at, now) == 0

local function issue_token()
  local expiry = string.format('%.0f', math.min(now + token_life, window_ends))
  redis.call('HSET', NEW_TOKEN, 'session', SESSION_ID, 'used', '0', 'expiry', expiry)
  redis.call('PEXPIREAT', NEW_TOKEN, expiry)
  redis.call('HSET', SESSION, 'token', NEW_TOKEN_ID, 'token_expiry', expiry)
  return 'TOKEN ' .. NEW_TOKEN_ID .. ' ' .. expiry
end

if token_life <= 0 or not has_turn or window_ends <= now then
  return 'NOT_READY'
end
if session.token and tonumber(session.token_expiry) - now > token_life / 2 then
  return 'TOKEN ' .. session.token .. ' ' .. session.token_expiry
end
return issue_token()
