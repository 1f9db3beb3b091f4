#!lua
-- Whether an order that was not found is one nobody knows, or may be one that Redis has lost.
-- KEYS 1 sale, 2 order
-- Replies UNKNOWN  the sale is whole, and has no such order
--         NO_SALE  there is no such sale: there never was, or Redis is empty
--         RETRY    the sale has not been compared with the ledger since Redis started, or is being built anew from
--                  it; or the order is there by now
local sale = redis.call('HMGET', KEYS[1], 'epoch', 'state', 'run')
if redis.call('EXISTS', KEYS[2]) == 1 then return 'RETRY' end
if not sale[1] then return 'NO_SALE' end
local doubted = sale[3] and sale[3] ~= string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
return (doubted or sale[2] == 'rebuilding') and 'RETRY' or 'UNKNOWN'
