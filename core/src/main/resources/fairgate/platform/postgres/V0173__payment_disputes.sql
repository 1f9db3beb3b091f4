-- Disputes of payments that the provider reported. While one is open, the tickets of its order admit nobody. A lost
-- one is a refund of the order.
CREATE TABLE payment_disputes (
  dispute_id text PRIMARY KEY,
  id         bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  order_id   text NOT NULL,
  payment_id text NOT NULL,
  amount     bigint NOT NULL,
  currency   text NOT NULL,
  state      text NOT NULL CHECK (state IN ('open', 'won', 'lost')),
  -- As the provider wrote it.
  reason     text NOT NULL,
  opened_at  timestamptz NOT NULL DEFAULT now(),
  closed_at  timestamptz
);
CREATE INDEX payment_disputes_open ON payment_disputes (order_id) WHERE state = 'open';
CREATE INDEX payment_disputes_by_order ON payment_disputes (order_id);
