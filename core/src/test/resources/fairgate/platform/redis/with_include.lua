#!lua
-- Adds with a function that stands in an included file. ARGV 1 and 2: numbers. Reply: their sum.
--@include fairgate/platform/redis/include/sum.lua
return sum(ARGV[1], ARGV[2])
