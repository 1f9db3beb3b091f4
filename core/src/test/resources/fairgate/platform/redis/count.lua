#!lua
-- Counts one up for each item.
-- KEYS  one counter per item
-- ARGV  none
-- Reply per item: the count as a text
local replies = {}
for i, key in ipairs(KEYS) do replies[i] = string.format('%d', redis.call('INCR', key)) end
return replies
