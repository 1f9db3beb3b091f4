-- Paid deposits of a sale. `deposits` is the hash of put_deposit.lua.

-- The id and the amount of a paid deposit of one of these owners that no place has had.
local function free_deposit(deposits, ...)
  for _, owner in ipairs({ ... }) do
    local id, amount = string.match(redis.call('HGET', deposits, owner) or '', '^(%S+) (%d+)$')
    if id and redis.call('HGET', deposits, id) == 'free' then
      return id, amount
    end
  end
end

-- Gives a deposit to the place of a session.
local function bind_deposit(deposits, session_key, id, amount)
  redis.call('HSET', session_key, 'deposit', id .. ' ' .. amount)
  redis.call('HSET', deposits, id, string.sub(session_key, -36))
end
