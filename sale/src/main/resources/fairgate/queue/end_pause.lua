#!lua
-- Ends the pauses of a buyer, see pauses.lua. A repeat changes nothing.
-- KEYS  pauses, one or more; the counts of pauses beside them are built here and lie in the same slot
-- Reply number of ended pauses
--@include fairgate/catalog/include/pauses.lua
local ended = 0
for _, cooldown_key in ipairs(KEYS) do
  if end_pause(cooldown_key) then
    ended = ended + 1
  end
end
return ended
