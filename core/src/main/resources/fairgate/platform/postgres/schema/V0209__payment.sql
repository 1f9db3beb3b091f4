-- Payments at providers, refunds and disputes.

-- A payment belongs to the first order that it was booked on, for good.
CREATE TABLE payments (
  payment_id text PRIMARY KEY,
  order_id   text NOT NULL,
  booked_at  timestamptz NOT NULL DEFAULT now()
);

-- Refunds: a payment may go back in parts.
CREATE TABLE refunds (
  order_id        text NOT NULL,
  payment_id      text NOT NULL,
  amount          bigint NOT NULL CHECK (amount >= 0),
  currency        text NOT NULL,
  -- due: the server asks the provider. waiting: the provider cannot be asked (no refund_url). failed: the provider
  -- refused. unplaced: money that no order could take; a person has to look. done: the money has gone back.
  -- given_up: a person decided that it does not go back.
  state           text NOT NULL
                  CHECK (state IN ('due', 'waiting', 'failed', 'unplaced', 'done', 'given_up')),
  tries           int NOT NULL DEFAULT 0,
  next_try_at     timestamptz NOT NULL DEFAULT now(),
  done_at         timestamptz,
  id              bigint GENERATED ALWAYS AS IDENTITY,
  created_at      timestamptz NOT NULL DEFAULT now(),
  -- Why the money goes back: late, amount, second, operator, unknown_order, other_order, deposit.
  cause           text NOT NULL DEFAULT '',
  -- The provider's last answer.
  answer          text,
  -- The operator's last decision.
  decided_by      text,
  decision_reason text,
  -- Empty for a refund that ends the order or returns a payment that no order needs; else the hash of the operator's
  -- idempotency key.
  part            text NOT NULL DEFAULT '',
  PRIMARY KEY (order_id, payment_id, part)
);
CREATE UNIQUE INDEX refunds_by_id ON refunds (id);
CREATE INDEX refunds_due ON refunds (next_try_at) WHERE state IN ('due', 'waiting');
CREATE INDEX refunds_open ON refunds (state) WHERE state NOT IN ('done', 'given_up');

-- The barrier against returning more than an order or a deposit has paid, independent of Redis.
CREATE FUNCTION refuse_refund_above_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT sum(r.amount) FROM refunds r
      WHERE r.order_id = NEW.order_id AND r.payment_id = NEW.payment_id)
    > coalesce((SELECT o.amount FROM orders o WHERE o.platform = 'fairgate'
       AND o.order_id = NEW.order_id AND o.payment_id = NEW.payment_id),
      (SELECT d.amount FROM deposits d WHERE d.deposit_id = NEW.order_id AND d.payment_id = NEW.payment_id))
  THEN
    RAISE EXCEPTION 'the refunds of % are more than was paid', NEW.order_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds_never_above_payment';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER refunds_never_above_payment AFTER INSERT OR UPDATE OF amount ON refunds
  FOR EACH ROW EXECUTE FUNCTION refuse_refund_above_payment();

-- The tries to pay at providers that make a payment page for each: Stripe, LINE Pay, ECPay.

-- One row for each order whose payment page was opened, or that was closed before. No try begins once the
-- order is closed.
CREATE TABLE payment_checkouts (
  order_id  text PRIMARY KEY,
  attempts  integer NOT NULL,
  closed_at timestamptz
);

-- `request` is sent again, unchanged, when the reply was lost. `reference` is the provider's or our name of
-- the try. `result` is the provider's last word about it; `ended` means that no payment can come from it.
CREATE TABLE payment_attempts (
  order_id   text NOT NULL REFERENCES payment_checkouts,
  attempt    integer NOT NULL,
  provider   text NOT NULL,
  request    text NOT NULL,
  amount     bigint NOT NULL,
  currency   text NOT NULL,
  reference  text,
  url        text,
  payment_id text,
  detail     text,
  result     text,
  ended      boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (order_id, attempt)
);
CREATE UNIQUE INDEX payment_attempts_reference ON payment_attempts (provider, reference);
CREATE INDEX payment_attempts_payment ON payment_attempts (payment_id) WHERE payment_id IS NOT NULL;

-- Calls that return money at providers without idempotency keys. After an unknown outcome, the sum that the
-- provider had returned before tells whether the call took effect. Of one payment, one call is open at a time.
CREATE TABLE payment_refund_calls (
  refund_key      text PRIMARY KEY,
  payment_id      text NOT NULL,
  amount          bigint NOT NULL,
  returned_before bigint NOT NULL,
  asked_at        timestamptz NOT NULL DEFAULT now(),
  done_at         timestamptz
);
CREATE UNIQUE INDEX payment_refund_calls_open ON payment_refund_calls (payment_id) WHERE done_at IS NULL;

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
