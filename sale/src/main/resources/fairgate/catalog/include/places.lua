-- The index of the live places of a sale, a hash. It has the session of each device and account that holds a
-- place and, under `net:` and the hash of a network, the number of places of that network.

-- Removes a place from the index, once. `networks` is the session's field of that name.
local function forget_place(owners, session_id, device, user, networks)
  for _, owner in ipairs({ device or '', user or '' }) do
    if redis.call('HGET', owners, owner) == session_id then
      redis.call('HDEL', owners, owner)
    end
  end
  for network in string.gmatch(networks or '', '%S+') do
    if redis.call('HINCRBY', owners, 'net:' .. network, -1) <= 0 then
      redis.call('HDEL', owners, 'net:' .. network)
    end
  end
end
