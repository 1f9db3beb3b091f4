-- The highest epoch that was ever opened for a sale: no epoch is opened twice, not even one whose events
-- have not arrived here yet.
CREATE TABLE sale_epochs (
  product_id text PRIMARY KEY,
  opened     bigint NOT NULL
);

-- How many events of epochs before `epoch` the ledger has.
ALTER TABLE outbox_positions ADD COLUMN earlier bigint NOT NULL DEFAULT 0;
UPDATE outbox_positions p SET earlier = (
  SELECT count(*) FROM order_events e WHERE e.product_id = p.product_id AND e.epoch < p.epoch);
