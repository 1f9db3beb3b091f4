-- Missed turns of networks. After a turn that passed without a purchase, the other places of its network let
-- others go first, see admit.lua. The index of places has, under `missed:` and the hash of a network, the
-- time of its last missed turn, ms; a purchase from the network removes it. Networks whose places the sale
-- does not limit are not recorded. The sale's field `pauses` tells that any turn was missed.

-- `sale` holds fields of the sale's hash by name: places_ip, places_net and places_site. `networks` are those
-- of the session, from narrow to wide.
local function record_missed_turn(sale_key, sale, owners, networks, now)
  local limits = { sale.places_ip, sale.places_net, sale.places_site }
  local level = 0
  for network in string.gmatch(networks or '', '%S+') do
    level = level + 1
    if tonumber(limits[level] or '0') > 0 then
      redis.call('HSET', owners, 'missed:' .. network, string.format('%d', now))
    end
  end
  redis.call('HSET', sale_key, 'pauses', '1')
end

-- Whether a network of the session has missed a turn after this time, ms.
local function has_missed_turn_since(owners, networks, since)
  for network in string.gmatch(networks or '', '%S+') do
    if tonumber(redis.call('HGET', owners, 'missed:' .. network) or '0') > since then
      return true
    end
  end
  return false
end

local function forget_missed_turns(owners, networks)
  for network in string.gmatch(networks or '', '%S+') do
    redis.call('HDEL', owners, 'missed:' .. network)
  end
end
