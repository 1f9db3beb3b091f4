-- Detects outages, so that nobody counts as absent because the service could not be reached. All times are ms
-- of Redis time. The sale's hash has three of them:
--   contact_at       the last request of any session of the sale
--   reachable_since  the first request after a gap of more than a quarter of the presence timeout. Clients
--                    are told to ask more often, so a gap means that nobody could reach the service.
--   steady_since     the same for the show-up timeout
local function is_reachable(contact_at, timeout_ms, now)
  return now - tonumber(contact_at or '0') <= timeout_ms / 4
end

-- Time for which a session was not seen, at most since the service can be reached, ms.
local function silence_since(seen, reachable_since, now)
  return now - math.max(tonumber(seen or '0'), tonumber(reachable_since or '0'))
end

local function record_gap(sale_key, field, contact_at, timeout_ms, now)
  -- A clock that stepped back counts as a gap.
  local stepped_back = now < tonumber(contact_at or '0')
  if timeout_ms > 0 and (stepped_back or not is_reachable(contact_at, timeout_ms, now)) then
    redis.call('HSET', sale_key, field, now)
  end
end

-- Records a request of a session of the sale, at most twenty times per timeout. `sale` holds fields of the
-- sale's hash by name: contact_at, presence_ms and show_up_ms.
local function record_contact(sale_key, sale, now)
  local presence_ms = tonumber(sale.presence_ms or '0')
  local show_up_ms = tonumber(sale.show_up_ms or '0')
  local timeout_ms = show_up_ms > 0 and show_up_ms or presence_ms
  local silence = now - tonumber(sale.contact_at or '0')
  if timeout_ms <= 0 or (silence >= 0 and silence <= timeout_ms / 20) then
    return
  end
  record_gap(sale_key, 'reachable_since', sale.contact_at, presence_ms, now)
  record_gap(sale_key, 'steady_since', sale.contact_at, show_up_ms, now)
  redis.call('HSET', sale_key, 'contact_at', now)
end
