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
-- makes once a second, and ten times a second while somebody is in the sale. A long time without a pass
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
