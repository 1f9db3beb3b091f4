-- Orders in the payment scripts. Include fields.lua, redis_restart.lua and outbox.lua first.

-- Reads an order by field name. `status` is false when there is no such order.
local function read_order(key, id, ...)
  local order = read_fields(key, 'session', 'user', 'device', 'quantity', 'amount', 'currency', 'status',
    'version', 'pay_by', 'pay_pause', 'payment', 'networks', ...)
  order.id = id
  return order
end

local function units_of_network(sale_key, network)
  return string.match(sale_key, '^(.*):sale$') .. ':net:' .. network .. ':bought'
end

-- True if one of the order's networks would have more units than the sale allows. `sale` holds the limits by
-- name: units_ip, units_net, units_site.
local function exceeds_units_of_networks(sale_key, sale, order)
  local limits = { sale.units_ip, sale.units_net, sale.units_site }
  local level = 0
  for network in string.gmatch(order.networks or '', '%S+') do
    level = level + 1
    local most = tonumber(limits[level] or '0')
    local units = tonumber(redis.call('GET', units_of_network(sale_key, network)) or '0')
    if most > 0 and units + order.quantity > most then
      return true
    end
  end
  return false
end

-- Adds to the units of the networks from which the buyer joined. An order that was restored from the ledger
-- has none.
local function add_units_of_networks(sale_key, order, quantity)
  for network in string.gmatch(order.networks or '', '%S+') do
    redis.call('INCRBY', units_of_network(sale_key, network), quantity)
  end
end

local function reply(word, order)
  return { word, order.status, order.version }
end

local function belongs_to(order, session, user, device)
  return order.session == session and order.user == user and order.device == device
end

-- Appends an event with the state of the order after the change. `at` is the time in ms, as text.
local function append_order_event(sale_key, outbox, order, kind, at, reason, payment, ...)
  local seq = redis.call('HINCRBY', sale_key, 'seq', 1)
  local epoch = redis.call('HGET', sale_key, 'epoch') or '0'
  append_event(outbox, seq, epoch, kind, 'order', order.id, 'session', order.session, 'user', order.user,
    'device', order.device, 'quantity', order.quantity, 'amount', order.amount, 'currency', order.currency,
    'status', order.status, 'version', order.version, 'pay_by', order.pay_by, 'at', at, 'reason', reason,
    'payment', payment, ...)
end
