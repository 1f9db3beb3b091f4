#!lua
-- Gives a visit to the first browser that joins the room's sale with its pass.
-- KEYS  1 state of the room; the owner's name is built from the prefix and lies in the same slot.
-- ARGV  1 prefix  2 epoch of the pass  3 ticket of the pass  4 hash of the browser  5 ms for which it is kept
-- Reply: 1 if the visit belongs to the browser, 0 if it belongs to another one, has ended, or if the pass is
--       one of another epoch
local call = redis.call
local PREFIX, EPOCH, TICKET, BROWSER = unpack(ARGV, 1, 4)
local KEPT_MS = tonumber(ARGV[5])

if call('HGET', KEYS[1], 'epoch') ~= EPOCH then
  return 0
end
local owner = call('SET', PREFIX .. 'owner:' .. EPOCH .. ':' .. TICKET, BROWSER, 'NX', 'GET', 'PX', KEPT_MS)
return (not owner or owner == BROWSER) and 1 or 0
