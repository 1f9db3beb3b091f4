#!lua
-- Tells each item how many went together, and takes its time.
-- KEYS  one per item, only named
-- ARGV  1 how long the run takes, ms
-- Reply per item: the number of items as a text
local function clock()
  local t = redis.call('TIME')
  return t[1] * 1000 + t[2] / 1000
end
local ends, replies = clock() + tonumber(ARGV[1]), {}
repeat until clock() >= ends
for i = 1, #KEYS do replies[i] = string.format('%d', #KEYS) end
return replies
