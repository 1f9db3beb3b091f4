-- Appends an event to the outbox of a sale, from where the relay writes it to the ledger. `seq` counts the
-- events of the epoch. Further fields of the event follow as pairs of name and value.
local function append_event(outbox, seq, epoch, kind, ...)
  redis.call('XADD', outbox, '*', 'seq', seq, 'epoch', epoch, 'kind', kind, ...)
end
