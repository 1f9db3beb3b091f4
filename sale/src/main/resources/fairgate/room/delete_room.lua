#!lua
-- Deletes the keys of a room that was deleted.
-- KEYS  1 state of the room; all other keys are built from the prefix and lie in the same slot.
-- ARGV  1 prefix  2 last epoch of the deleted room
-- Reply: 'DELETED' | 'MORE' (call again) | 'IN_USE' (a room with this id was created since then)
--@include fairgate/catalog/include/fields.lua
--@include fairgate/room/include/tickets.lua
--@include fairgate/room/include/periods.lua
--@include fairgate/room/include/browsers.lua
--@include fairgate/room/include/deletion.lua
local STATE = KEYS[1]
local PREFIX = ARGV[1]
local EPOCH = tonumber(ARGV[2])

if tonumber(redis.call('HGET', STATE, 'epoch') or '0') > EPOCH then
  return 'IN_USE'
end
return delete_room(PREFIX, STATE) and 'DELETED' or 'MORE'
