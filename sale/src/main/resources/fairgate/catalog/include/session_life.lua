-- Time at which a session expires if it makes no more requests, ms of Redis time: a day plus the payment
-- window after the latest of now, the sale's opening, its last planned batch and its end. `sale` holds those
-- fields by name.
local function session_ends_at(sale, now)
  local latest = math.max(now, tonumber(sale.opens_at or '0'), tonumber(sale.last_batch_at or '0'),
    tonumber(sale.closes_at or '0'))
  return latest + 86400000 + tonumber(sale.payment_ms or '0')
end
