#!lua
-- Finds deposits whose place has ended without an order, and those that no place has had when the sale is
-- over or asks for no deposit any more, and ends them: no place can have them and no order can use them any
-- more. A repeat replies the same.
-- KEYS  1 sale  2 deposits of the sale, see put_deposit.lua. Keys of sessions are built here and lie in the
--       same slot.
-- ARGV  1 prefix of session keys  2 'over' to end those that no place has had, as if the sale was over;
--       'gone' to end all that no order has used, whatever has become of the place, because the provider
--       took the money back; else '', then deposit ids
-- Reply per deposit:
--   WAIT     its place is alive, or it is free and the sale is not over; or Redis has restarted and the sale
--            was not compared with the ledger since; or its money is gone, and the provider's message about
--            that ends it in the ledger
--   GONE     in the mode 'gone': its money is gone
--   ORDER    an order has used it; the ledger ends both
--   RETURN   the buyer could not buy
--   PASSED   the buyer let the turn pass
--   MISSING  it was not put, or Redis has lost it
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
--@include fairgate/sale/include/redis_restart.lua
local call = redis.call
local SALE, DEPOSITS = unpack(KEYS)
local SESSION_PREFIX, MODE = unpack(ARGV, 1, 2)
local FIRST_ID = 3
local LIVE = { waiting = true, active = true, ready_to_purchase = true }
local ENDS = { RETURN = true, PASSED = true, GONE = true }
-- How a place ends after its turn has begun.
local PASSED = { window = true, no_show = true }

local sale = read_fields(SALE, 'state', 'opens_at', 'closes_at', 'paused_ms', 'paused_at', 'passed_at',
  'run', 'deposit')
local is_over = MODE == 'over' or sale.deposit ~= '1' or sale_by_clock(sale, now_ms()) == 'closed'

local function outcome_of_place(session_id)
  local session = read_fields(SESSION_PREFIX .. session_id, 'queue_status', 'ended', 'purchase_ready_at')
  if LIVE[session.queue_status] then
    return 'WAIT'
  end
  local left_in_turn = session.ended == 'left' and session.purchase_ready_at
  return (PASSED[session.ended] or left_in_turn) and 'PASSED' or 'RETURN'
end

local function outcome_of(id)
  local holder = call('HGET', DEPOSITS, id)
  if holder == 'RETURN' or holder == 'PASSED' then
    return holder
  end
  if holder and string.sub(holder, 1, 6) == 'order_' then
    return 'ORDER'
  end
  if MODE == 'gone' then
    return 'GONE'
  end
  if holder == 'GONE' then
    return 'WAIT'
  end
  if not holder then
    return 'MISSING'
  end
  if holder == 'free' then
    return is_over and 'RETURN' or 'WAIT'
  end
  return outcome_of_place(holder)
end

local replies = {}
local is_unverified = not sale.state or has_restarted_since(sale.run)
for i = FIRST_ID, #ARGV do
  local outcome = is_unverified and 'WAIT' or outcome_of(ARGV[i])
  if ENDS[outcome] then
    call('HSET', DEPOSITS, ARGV[i], outcome)
  end
  replies[#replies + 1] = outcome
end
return replies
