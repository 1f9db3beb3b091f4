-- The state of a sale by the clock. `sale` holds fields of the sale's hash by name: state, opens_at,
-- closes_at, paused_ms, paused_at and passed_at. All times are ms of Redis time.
--
-- Where `opens_at` is set, it decides between 'scheduled' and 'open', whichever of the two is stored. A sale
-- that is being rebuilt stays so, whatever the clock says.
--
-- Purchase windows end in sale time, which is Redis time minus the sale's total pause. Sale time stops when
-- an open sale is paused or postponed, and goes on when it is open again. So a resume moves no stored window.
--
-- Sale time also stops in an outage: `passed_at` is the time of the last pass of the queue, which any node
-- makes every two seconds, and ten times a second while somebody is in the sale. A long time without a pass
-- means that Redis or all nodes were away.
local OUTAGE_FROM_MS = 5000

-- Duration of the outage since the last pass of the queue, ms; 0 without one.
local function outage_ms(sale, now)
  local silence = now - tonumber(sale.passed_at or now)
  return silence >= OUTAGE_FROM_MS and silence or 0
end

local function total_pause(sale, clock_decides, now)
  local total = tonumber(sale.paused_ms or '0')
  if not sale.paused_at then
    return total + outage_ms(sale, now)
  end
  local pause_ends = now
  if clock_decides then
    pause_ends = math.min(now, tonumber(sale.opens_at))
  end
  return total + math.max(0, pause_ends - tonumber(sale.paused_at))
end

-- Payment deadlines end in payment time, which is Redis time minus the sale's payment pause. So nothing is
-- written for each order. Payment time stops while the payment provider fails: nodes that see it fail say so
-- every few seconds, and once they stop, it goes on (`pay_stopped_until`). It also stops in an outage, for at
-- most one payment window. An order keeps the pause at its reservation as `pay_pause`; none is 0.
local PAYMENT_TIME_FIELDS =
  { 'passed_at', 'payment_ms', 'pay_paused_ms', 'pay_stopped_at', 'pay_stopped_until' }

-- Part of the outage since the last pass of the queue for which payment time stops, ms.
local function payment_outage_ms(sale, now)
  return math.min(outage_ms(sale, now), tonumber(sale.payment_ms or '0'))
end

local function payment_time_stands(sale, now)
  return sale.pay_stopped_at and now < tonumber(sale.pay_stopped_until)
end

-- The time for which the provider failed, in all, ms.
local function provider_pause(sale, now)
  local total = tonumber(sale.pay_paused_ms or '0')
  if not sale.pay_stopped_at then
    return total
  end
  local stop_ends = math.min(now, tonumber(sale.pay_stopped_until))
  return total + stop_ends - tonumber(sale.pay_stopped_at)
end

-- The total payment pause so far, ms.
local function payment_pause(sale, now)
  return provider_pause(sale, now) + payment_outage_ms(sale, now)
end

-- The end of the order's payment window if payment time does not stop again, ms of Redis time.
local function payment_deadline(order, pause)
  return tonumber(order.pay_by or '0') + pause - tonumber(order.pay_pause or '0')
end

-- Time until a turn begins, ms; 0 once it has begun. Turns that the queue gives out together begin at random
-- moments, see admit.lua: `ready_at` may lie ahead, by `jitter_ms` at most. After a clock that stepped back
-- it lies further ahead, and then nobody waits for it. `sale` holds jitter_ms.
local function ms_until_turn(sale, ready_at, now)
  local left = tonumber(ready_at or '0') - now
  return left > 0 and left <= tonumber(sale.jitter_ms or '0') and left or 0
end

-- Returns the state, or the missing state of a sale that does not exist, and the total pause so far in ms.
local function sale_by_clock(sale, now)
  local state = sale.state
  local opens_at = tonumber(sale.opens_at or '0')
  local closes_at = tonumber(sale.closes_at or '0')
  local clock_decides = opens_at > 0 and (state == 'scheduled' or state == 'open')
  local pause = total_pause(sale, clock_decides, now)
  if state == 'rebuilding' or state == 'rebuilt' then
    return state, pause
  end
  if state and closes_at > 0 and now >= closes_at then
    return 'closed', pause
  end
  if clock_decides then
    return now >= opens_at and 'open' or 'scheduled', pause
  end
  return state, pause
end

-- True when the sale, whose state is `state` by the clock, ended because of `closes_at` only. Purchase
-- windows that run at that time can then be used until their end. An operator's `close` ends them at once.
local function windows_outlast_sale(sale, state)
  return state == 'closed' and (sale.state == 'open' or sale.state == 'scheduled')
end
