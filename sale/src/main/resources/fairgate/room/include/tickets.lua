-- The tickets of a room as bits: one bitmap of 2 KiB per block of 16,384 tickets. Ticket i of a block is bit
-- i % 8 of byte i / 8, counted from the lowest bit; Redis counts from the highest. KEYS[1] is the state.
local BLOCK = 16384

-- The oldest ticket that may be live: all below it are gone, and nothing is kept of them. It moves by whole
-- blocks, in advance_room.lua only.
local oldest_ticket = tonumber(redis.call('HGET', KEYS[1], 'oldest') or '0')

local function block_of(ticket)
  return math.floor(ticket / BLOCK)
end

local function offset_of(ticket)
  local bit = ticket % BLOCK
  return bit - 2 * (bit % 8) + 7
end

-- Tickets that have left, are absent for too long, were removed, or were used.
local function gone_key(prefix, block)
  return string.format('%sgone:%d', prefix, block)
end

local function is_gone(prefix, ticket)
  ticket = tonumber(ticket)
  return ticket < oldest_ticket
    or redis.call('GETBIT', gone_key(prefix, block_of(ticket)), offset_of(ticket)) == 1
end

-- Returns true when the ticket was not gone before.
local function mark_gone(prefix, ticket)
  return ticket >= oldest_ticket
    and redis.call('SETBIT', gone_key(prefix, block_of(ticket)), offset_of(ticket), 1) == 0
end
