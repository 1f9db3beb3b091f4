-- Refunds that wait for a person, and the one order that each payment pays.

ALTER TABLE refunds DROP CONSTRAINT refunds_state_check;
-- due: the server asks the provider. waiting: the provider cannot be asked (no refund_url). failed: the
-- provider refused. unplaced: money that no order could take; a person has to look. done: the money has gone
-- back. given_up: a person decided that it does not go back.
ALTER TABLE refunds ADD CONSTRAINT refunds_state_check
  CHECK (state IN ('due', 'waiting', 'failed', 'unplaced', 'done', 'given_up'));
ALTER TABLE refunds
  ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY,
  ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
  -- Why the money is to go back: late, amount, second, operator, unknown_order, other_order.
  ADD COLUMN cause text NOT NULL DEFAULT '',
  -- The provider's last answer.
  ADD COLUMN answer text,
  -- The operator's last decision.
  ADD COLUMN decided_by text,
  ADD COLUMN decision_reason text;
CREATE UNIQUE INDEX refunds_by_id ON refunds (id);
DROP INDEX refunds_due;
CREATE INDEX refunds_due ON refunds (next_try_at) WHERE state IN ('due', 'waiting');
CREATE INDEX refunds_open ON refunds (state) WHERE state NOT IN ('done', 'given_up');

-- A payment belongs to the first order that it was booked on, for good.
CREATE TABLE payments (
  payment_id text PRIMARY KEY,
  order_id   text NOT NULL,
  booked_at  timestamptz NOT NULL DEFAULT now()
);
INSERT INTO payments (payment_id, order_id)
  SELECT payment_id, order_id FROM orders
  WHERE platform = 'fairgate' AND payment_id IS NOT NULL
  ORDER BY paid_at
  ON CONFLICT DO NOTHING;
INSERT INTO payments (payment_id, order_id)
  SELECT payment_id, order_id FROM refunds
  ON CONFLICT DO NOTHING;
