-- Deletes what Redis has of a room that was deleted: all keys that have no end of their own, the state last.
-- Needs fields.lua, tickets.lua, periods.lua and browsers.lua. Returns true when nothing is left; one run
-- deletes at most 400 blocks.
local MAX_BLOCKS = 400
local ROOM_KEYS = {
  'inside', 'reserved', 'reserved_order', 'due', 'turns', 'exchanged', 'revoked', 'head', 'samples',
}

local function delete_blocks(prefix, state, from, to)
  local period = tonumber(state.period or '0')
  for block = from, to do
    redis.call('UNLINK', gone_key(prefix, block))
    for back = 0, 3 do
      redis.call('UNLINK', here_key(prefix, period - back, block))
    end
  end
end

local function delete_room(prefix, state_key)
  local state = read_fields(state_key, 'next', 'oldest', 'period', 'generation')
  local last = block_of(tonumber(state.next or '0'))
  local first = block_of(tonumber(state.oldest or '0'))
  local to = math.min(last, first + MAX_BLOCKS - 1)
  delete_blocks(prefix, state, first, to)
  if to < last then
    -- Without a phase there is no room for the other scripts.
    redis.call('HDEL', state_key, 'phase')
    redis.call('HSET', state_key, 'oldest', (to + 1) * BLOCK)
    return false
  end
  for generation = tonumber(state.generation or '0'), math.floor(tonumber(state.next or '0') / GENERATION) do
    redis.call('UNLINK', browsers_key(prefix, generation), networks_key(prefix, generation))
  end
  for _, name in ipairs(ROOM_KEYS) do
    redis.call('UNLINK', prefix .. name)
  end
  redis.call('UNLINK', state_key)
  return true
end
