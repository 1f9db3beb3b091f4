#!lua
-- Names an include that does not exist.
--@include fairgate/platform/redis/include/nothing.lua
return 0
