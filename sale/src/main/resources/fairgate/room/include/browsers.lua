-- The tickets of browsers and the places of networks are remembered by generation: those that were given
-- while the number of tickets was within one million. A generation is kept while a ticket of it may be live.
local GENERATION = 1048576

local function browsers_key(prefix, generation)
  return string.format('%sbrowsers:%d', prefix, generation)
end

local function networks_key(prefix, generation)
  return string.format('%snetworks:%d', prefix, generation)
end
