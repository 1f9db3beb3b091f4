#!lua
-- Gives tickets of one room in order of arrival; one run handles many.
-- KEYS  1 state of the room; all other keys are built from the prefix and lie in the same slot.
-- ARGV  1 prefix of the room's keys  2 ms of a period of presence, then one text per request:
--       'browser|challenge|ms for which the challenge is remembered|1 if its earlier ticket is gone'. All but
--       the browser may be empty.
-- Reply per request: 'TICKET ticket' | 'AGAIN ticket' (the browser's own, still live) | 'DRAWN ticket' (the
--       browser's own from before the draw; the caller looks whether it is live) | 'CHALLENGE_USED' | 'OFF' |
--       'ENDED' | 'NO_ROOM' | 'FAULT message'; then, as last element, the epoch
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/room/include/tickets.lua
local call = redis.call
local STATE = KEYS[1]
local PREFIX = ARGV[1]
local PERIOD_MS = tonumber(ARGV[2])
local SHARED_ARGS = 2
-- Browsers are remembered by generation of tickets, in two generations.
local GENERATION = 1048576

local now = now_ms()
local state = read_fields(STATE, 'phase', 'next', 'epoch', 'drawn', 'contact_at')
local next_ticket = tonumber(state.next or '0')
local drawn = tonumber(state.drawn or '0')
local period = math.floor(now / PERIOD_MS)
local taken = 0

local function browsers(generation)
  return string.format('%sbrowsers:%d', PREFIX, generation)
end

local function ticket_of(browser)
  local generation = math.floor(next_ticket / GENERATION)
  local ticket = call('HGET', browsers(generation), browser)
  if not ticket and generation > 0 then
    ticket = call('HGET', browsers(generation - 1), browser)
  end
  return ticket and tonumber(ticket)
end

local function keep_present(ticket)
  local key = here_key(PREFIX, period, block_of(ticket))
  call('SETBIT', key, offset_of(ticket), 1)
  call('PEXPIRE', key, 4 * PERIOD_MS)
end

local function new_ticket(browser)
  local ticket = next_ticket
  next_ticket = ticket + 1
  taken = taken + 1
  local generation = math.floor(ticket / GENERATION)
  if ticket % GENERATION == 0 and generation > 1 then
    call('UNLINK', browsers(generation - 2))
  end
  call('HSET', browsers(generation), browser, string.format('%d', ticket))
  keep_present(ticket)
  return ticket
end

local function take(text)
  local browser, challenge, life, forget = string.match(text, '^([^|]*)|([^|]*)|([^|]*)|(.*)$')
  local own = forget ~= '1' and ticket_of(browser)
  if own and own < drawn then
    return string.format('DRAWN %d', own)
  end
  if own and not is_gone(PREFIX, own) then
    keep_present(own)
    return string.format('AGAIN %d', own)
  end
  if challenge ~= '' and not call('SET', PREFIX .. 'challenge:' .. challenge, '1', 'NX', 'PX', life) then
    return 'CHALLENGE_USED'
  end
  return string.format('TICKET %d', new_ticket(browser))
end

local function refusal()
  if not state.phase then
    return 'NO_ROOM'
  end
  if state.phase == 'off' then
    return 'OFF'
  end
  if state.phase == 'ended' then
    return 'ENDED'
  end
end

local refused = refusal()
local replies = {}
for i = 1, #ARGV - SHARED_ARGS do
  if refused then
    replies[i] = refused
  else
    local ok, reply = pcall(take, ARGV[SHARED_ARGS + i])
    replies[i] = ok and reply or ('FAULT ' .. tostring(reply))
  end
end
if taken > 0 then
  call('HSET', STATE, 'next', string.format('%d', next_ticket))
end
if not refused then
  if now - tonumber(state.contact_at or now) > PERIOD_MS then
    call('HSET', STATE, 'steady_since', now)
  end
  call('HSET', STATE, 'contact_at', now)
end
replies[#replies + 1] = state.epoch or '0'
return replies
