-- Priority. The sale's field `priority` names up to four tiers of buyers, the most preferred one first, as
-- 'share:until;share:until'. A share is the percentage of the units that only this tier may take before
-- `until`, in ms of Redis time. Then its remaining units go to the next tier, after the last one to
-- everybody. Units that come back are for everybody. Further fields of the sale:
--   tier_<n>_left  units that only tier n may take
--   tiers_divided  units released so far that were divided; without it, the free units are divided
-- Include fields.lua first.

-- Returns the tiers as { left, ends_at }, and the sum of their units. Divides new units, and passes on those
-- of tiers whose time is over. `sale` holds fields of the sale's hash by name: priority.
local function settle_tiers(sale_key, sale, stock, now)
  local tiers = {}
  local reserved = 0
  if (sale.priority or '') == '' then
    return tiers, reserved
  end
  local units = read_fields(sale_key, 'released', 'tiers_divided', 'tier_1_left', 'tier_2_left',
    'tier_3_left', 'tier_4_left')
  local released = tonumber(units.released or '0')
  local new_units = units.tiers_divided and released - tonumber(units.tiers_divided) or stock
  local passed_on = 0
  for share, ends_at in string.gmatch(sale.priority, '(%d+):(%d+)') do
    local tier = { field = string.format('tier_%d_left', #tiers + 1), ends_at = tonumber(ends_at) }
    local before = tonumber(units[tier.field] or '0')
    tier.left = before + passed_on + math.floor(new_units * tonumber(share) / 100)
    passed_on = 0
    if now >= tier.ends_at then
      passed_on = tier.left
      tier.left = 0
    end
    if tier.left ~= before then
      redis.call('HINCRBY', sale_key, tier.field, tier.left - before)
    end
    tiers[#tiers + 1] = tier
    reserved = reserved + tier.left
  end
  if new_units ~= 0 or not units.tiers_divided then
    redis.call('HSET', sale_key, 'tiers_divided', string.format('%d', released))
  end
  return tiers, reserved
end
