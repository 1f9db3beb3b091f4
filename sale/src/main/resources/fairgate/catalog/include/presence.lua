-- Detects outages, so that nobody counts as absent because the service could not be reached. All times are ms
-- of Redis time. The sale's hash has two of them:
--   contact_at       the last request of any session of the sale
--   reachable_since  the first request after a gap of more than a quarter of the presence timeout. Clients
--                    are told to ask more often, so a gap means that nobody could reach the service.
local function is_reachable(contact_at, presence_ms, now)
  return now - tonumber(contact_at or '0') <= presence_ms / 4
end

-- Records a request of a session of the sale, at most twenty times per presence timeout.
local function record_contact(sale_key, contact_at, presence_ms, now)
  local silence = now - tonumber(contact_at or '0')
  if presence_ms <= 0 or (silence >= 0 and silence <= presence_ms / 20) then
    return
  end
  -- A clock that stepped back counts as a gap.
  if silence < 0 or not is_reachable(contact_at, presence_ms, now) then
    redis.call('HSET', sale_key, 'reachable_since', now)
  end
  redis.call('HSET', sale_key, 'contact_at', now)
end
