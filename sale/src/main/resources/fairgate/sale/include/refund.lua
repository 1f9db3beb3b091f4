-- Frees the units of an order whose payment went back, and ends its purchase. Include order.lua first. `keys`
-- are those of refunded.lua.
local function release_units(keys, order)
  local sale_key, stock_key, user_units, device_units = keys[1], keys[2], keys[8], keys[9]
  redis.call('HINCRBY', sale_key, 'confirmed', -order.quantity)
  redis.call('INCRBY', stock_key, order.quantity)
  redis.call('DECRBY', user_units, order.quantity)
  redis.call('DECRBY', device_units, order.quantity)
  add_units_of_networks(sale_key, order, -order.quantity)
end

local function end_purchase(keys, order)
  local session_key, purchases_key = keys[4], keys[5]
  redis.call('SREM', purchases_key, order.session)
  if redis.call('HGET', session_key, 'queue_status') == 'purchased' then
    redis.call('HSET', session_key, 'queue_status', 'expired', 'ended', 'refunded')
  end
end

local function refund_order(keys, order)
  order.status = 'refunded'
  redis.call('HSET', keys[3], 'status', order.status)
  release_units(keys, order)
  end_purchase(keys, order)
end
