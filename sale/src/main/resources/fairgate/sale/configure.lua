#!lua
-- Brings a sale's policy and state to a version of the catalog. Older versions change nothing, so any node
-- may send its version at any time. Stock, live counters and places stay untouched: purchase windows end in
-- sale time, which stands still while a sale that was open is not.
-- KEYS  1 sale
-- ARGV  1 version  2 state  3 '1' to create a sale that does not exist  4 epoch of a sale created here, then
--       pairs of policy field and value
-- Reply 'APPLIED' | 'SAME' (this or a newer version is in force, or the sale is being rebuilt) | 'MISSING'
--@include fairgate/catalog/include/fields.lua
--@include fairgate/catalog/include/redis_time.lua
--@include fairgate/catalog/include/sale_clock.lua
--@include fairgate/sale/include/redis_restart.lua
local SALE = KEYS[1]
local VERSION, STATE, MAY_CREATE, EPOCH = unpack(ARGV, 1, 4)
local FIRST_POLICY_FIELD = 5

local function create_sale()
  redis.call('HSET', SALE, 'epoch', EPOCH, 'released', 0, 'held', 0, 'confirmed', 0, 'batch', 0, 'seq', 0,
    'run', redis_run())
end

-- The sale as it is going to be, in the fields that decide its state by the clock, and its tiers.
local function new_sale(sale)
  local policy = {}
  for i = FIRST_POLICY_FIELD, #ARGV, 2 do
    policy[ARGV[i]] = ARGV[i + 1]
  end
  return {
    state = STATE,
    opens_at = policy.opens_at or sale.opens_at,
    closes_at = policy.closes_at or sale.closes_at,
    priority = policy.priority,
  }
end

-- Returns whether purchase windows run, and the total pause so far in ms.
local function windows_run(sale, now)
  local state, pause = sale_by_clock(sale, now)
  return state == 'open' or windows_outlast_sale(sale, state), pause
end

local function begin_pause(pause, now)
  redis.call('HSET', SALE, 'paused_ms', string.format('%d', pause), 'paused_at', string.format('%d', now))
  -- The time from the last turn to the next one does not say how long a turn takes, and a pass of the queue
  -- before the pause says nothing about outages after it.
  redis.call('HDEL', SALE, 'turn_at', 'passed_at')
end

local function end_pause(pause)
  redis.call('HSET', SALE, 'paused_ms', string.format('%d', pause))
  redis.call('HDEL', SALE, 'paused_at')
end

-- With other tiers, the free units are divided anew.
local function forget_tiers()
  redis.call('HDEL', SALE, 'tiers_divided', 'tier_1_left', 'tier_2_left', 'tier_3_left', 'tier_4_left')
end

-- Stops or starts sale time, before the policy is written.
local function keep_sale_time(sale, changed)
  local now = now_ms()
  local ran, pause = windows_run(sale, now)
  local runs = windows_run(changed, now)
  if not runs and (ran or sale.paused_at) then
    begin_pause(pause, now)
  elseif sale.paused_at then
    end_pause(pause)
  end
end

local sale = read_fields(SALE, 'version', 'state', 'opens_at', 'closes_at', 'paused_ms', 'paused_at',
  'passed_at',
  'priority')
if not sale.state then
  if MAY_CREATE ~= '1' then
    return 'MISSING'
  end
  create_sale()
elseif sale.state == 'rebuilding' or tonumber(sale.version) >= tonumber(VERSION) then
  return 'SAME'
else
  local changed = new_sale(sale)
  keep_sale_time(sale, changed)
  if changed.priority ~= sale.priority then
    forget_tiers()
  end
end
redis.call('HSET', SALE, 'version', VERSION, 'state', STATE, unpack(ARGV, FIRST_POLICY_FIELD))
return 'APPLIED'
