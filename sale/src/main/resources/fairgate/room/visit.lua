#!lua
-- Changes the visit of one ticket: exchanges its turn for a pass, prolongs the visit, or ends it.
-- KEYS  1 state of the room  2 inside  3 turns  4 stream of revoked visits  5 times of exchanges; the bitmap
--       and the owner's name are built from the prefix.
-- ARGV  1 prefix  2 'exchange', 'renew' or 'end'  3 epoch  4 ticket  5 id of the turn  6 ms from now at which
--       the visit ends  7 ms for which a revoked visit is remembered
-- Reply: 'PASS' | 'USED' (not the last turn of the ticket, or exchanged) | 'OVER' (the visit has ended) |
--       'ENDED' (a repeat changes nothing) | 'EPOCH'
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/room/include/tickets.lua
local call = redis.call
local STATE, INSIDE, TURNS, REVOKED, EXCHANGED = unpack(KEYS)
local PREFIX, ACTION, EPOCH, TICKET, TURN = unpack(ARGV, 1, 5)
local LASTS_MS = tonumber(ARGV[6])
local REMEMBER_MS = tonumber(ARGV[7])

local now = now_ms()

local function exchange()
  if call('HGET', TURNS, TICKET) ~= TURN then
    return 'USED'
  end
  call('HDEL', TURNS, TICKET)
  if not call('ZSCORE', INSIDE, TICKET) then
    return 'OVER'
  end
  call('ZADD', INSIDE, 'GT', now + LASTS_MS, TICKET)
  mark_gone(PREFIX, tonumber(TICKET))
  -- A turn that was given again is exchanged again; its visitor counts once.
  if call('HSETNX', EXCHANGED, TICKET, now) == 1 then
    call('HINCRBY', STATE, 'entered', 1)
  end
  return 'PASS'
end

-- A turn that was given again is void: its visitor has a pass.
local function renew()
  local has_pass = call('HEXISTS', TURNS, TICKET) == 0 or call('HEXISTS', EXCHANGED, TICKET) == 1
  if not call('ZSCORE', INSIDE, TICKET) or not has_pass then
    return 'OVER'
  end
  call('ZADD', INSIDE, 'GT', now + LASTS_MS, TICKET)
  call('HDEL', TURNS, TICKET)
  call('HDEL', EXCHANGED, TICKET)
  return 'PASS'
end

local function end_visit()
  local owner = PREFIX .. 'owner:' .. EPOCH .. ':' .. TICKET
  if call('GET', owner) == '' then
    return 'ENDED'
  end
  call('ZREM', INSIDE, TICKET)
  call('HDEL', TURNS, TICKET)
  call('HDEL', EXCHANGED, TICKET)
  mark_gone(PREFIX, tonumber(TICKET))
  -- The pass joins no sale from now on, on every node.
  call('SET', owner, '', 'PX', REMEMBER_MS)
  local id = call('XADD', REVOKED, 'MINID', '~', now - REMEMBER_MS, '*', 'ticket', TICKET)
  call('HSET', STATE, 'revoked', id)
  return 'ENDED'
end

if call('HGET', STATE, 'epoch') ~= EPOCH then
  return 'EPOCH'
end
if ACTION == 'exchange' then
  return exchange()
end
return ACTION == 'renew' and renew() or end_visit()
