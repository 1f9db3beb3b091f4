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
