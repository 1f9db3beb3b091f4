#!lua
-- Reads what the head of a room says, at most once per interval over all nodes; in between, returns the last
-- head.
-- KEYS  1 state of the room  2 head  3 samples; the bitmaps are built from the prefix and lie in the same
--       slot.
-- ARGV  1 prefix  2 minimum interval between two heads, ms
-- Reply: 'HEAD', bytes | 'NONE' (another node makes the first one) | 'NO_ROOM' | 'BUILD', then sequence
--       number, time in ms, epoch, phase, cursor, number of tickets, numbers of gone tickets from the cursor
--       on by block, departures per second over 1, 5 and 15 minutes, units left or '', units per visitor or
--       '', number of drawn tickets or 0, seed of the draw, epoch of the announced draw or 0
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/room/include/tickets.lua
local call = redis.call
local STATE, HEAD, SAMPLES = unpack(KEYS)
local PREFIX = ARGV[1]
local INTERVAL_MS = tonumber(ARGV[2])
local SAMPLE_MS = 10000
local MAX_SAMPLES = 92
local WINDOWS_MS = { 60000, 300000, 900000 }

local now = now_ms()
local state = read_fields(STATE, 'epoch', 'phase', 'cursor', 'next', 'head_at', 'departed', 'stock_left',
  'stock_share', 'drawn', 'seed', 'drawn_epoch')

-- Redis counts bits by byte; the cursor can be within one.
local function gone_from(ticket)
  local key = gone_key(PREFIX, block_of(ticket))
  local first = ticket % BLOCK
  local whole = math.ceil(first / 8)
  local count = whole < BLOCK / 8 and call('BITCOUNT', key, whole, -1) or 0
  for bit = first, whole * 8 - 1 do
    count = count + call('GETBIT', key, offset_of(bit))
  end
  return count
end

local function gone_by_block(cursor, next_ticket)
  local counts = {}
  for block = 0, block_of(math.max(0, next_ticket - 1)) do
    if block < block_of(cursor) then
      counts[#counts + 1] = 0
    elseif block == block_of(cursor) then
      counts[#counts + 1] = gone_from(cursor)
    else
      counts[#counts + 1] = call('BITCOUNT', gone_key(PREFIX, block))
    end
  end
  return table.concat(counts, ',')
end

-- The departures per second since the oldest sample of each window.
local function rates(departed)
  local samples = call('LRANGE', SAMPLES, 0, -1)
  local newest = samples[1] and tonumber(string.match(samples[1], '^%d+')) or 0
  if now - newest >= SAMPLE_MS then
    call('LPUSH', SAMPLES, string.format('%d %d', now, departed))
    call('LTRIM', SAMPLES, 0, MAX_SAMPLES - 1)
  end
  local found = {}
  for i, window in ipairs(WINDOWS_MS) do
    found[i] = 0
    for _, sample in ipairs(samples) do
      local at, count = string.match(sample, '^(%d+) (%d+)$')
      if now - at > window then
        break
      end
      if now > tonumber(at) then
        found[i] = (departed - count) * 1000 / (now - at)
      end
    end
  end
  return string.format('%.1f,%.1f,%.1f', unpack(found))
end

if not state.phase then
  return { 'NO_ROOM' }
end
if now - tonumber(state.head_at or '0') < INTERVAL_MS then
  local head = call('GET', HEAD)
  return head and { 'HEAD', head } or { 'NONE' }
end
local cursor = tonumber(state.cursor)
local next_ticket = tonumber(state.next or '0')
call('HSET', STATE, 'head_at', now)
return {
  'BUILD', call('HINCRBY', STATE, 'seq', 1), now, state.epoch, state.phase, cursor, next_ticket,
  gone_by_block(cursor, next_ticket), rates(tonumber(state.departed or '0')), state.stock_left or '',
  state.stock_share or '', state.drawn or '0', state.seed or '', state.drawn_epoch or '0',
}
