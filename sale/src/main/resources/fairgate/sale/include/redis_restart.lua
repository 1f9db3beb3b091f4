-- A restarted Redis may have lost its last writes. Until a sale is compared with the ledger, scripts do not
-- write to its outbox. The sale's field `run` is the run id of the Redis server in which the sale was last
-- compared; it is empty during a rebuild.
local current_run

-- The run id of this Redis server, read at most once per script run.
local function redis_run()
  current_run = current_run or string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
  return current_run
end

-- True when Redis has restarted since the sale was compared with the ledger. A missing `run` counts as
-- compared.
local function has_restarted_since(run)
  return run and run ~= redis_run()
end
