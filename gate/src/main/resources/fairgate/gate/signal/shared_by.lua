#!lua
-- Counts the accounts and the browsers that share a device key or a fingerprint, the caller included. A set
-- takes no more members than the maximum.
-- KEYS  1 accounts  2 browsers
-- ARGV  1 hash of the account, '' for a guest  2 hash of the browser, '' without one  3 '1' to remember the
--       caller, '0' to count only  4 life after the last member, ms  5 maximum members of a set
-- Reply {number of accounts, number of browsers}
local ACCOUNTS, BROWSERS = KEYS[1], KEYS[2]
local ACCOUNT, BROWSER, REMEMBER, LIFE_MS, MOST = unpack(ARGV, 1, 5)

local function count_with(key, member)
  local size = redis.call('SCARD', key)
  if member == '' or redis.call('SISMEMBER', key, member) == 1 then
    return size
  end
  if size >= tonumber(MOST) then
    return size
  end
  if REMEMBER == '1' then
    redis.call('SADD', key, member)
    redis.call('PEXPIRE', key, LIFE_MS)
  end
  return size + 1
end

return { count_with(ACCOUNTS, ACCOUNT), count_with(BROWSERS, BROWSER) }
