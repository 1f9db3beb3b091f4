-- Deposits that buyers pay before they join a sale, and that count towards the price.

-- pending: not paid. lapsed: not paid in time. paid: it stands for a place, or waits for one. It ends in one of:
-- counted: its order is paid. returned: it goes back; the row in `refunds` tells how far. kept: the buyer let the
-- turn pass, and the sale keeps it. A counted one is returned with the refund of its order. `passed` is the end
-- that the buyer agreed to for that case. `order_id` is the order that used it.
CREATE TABLE deposits (
  deposit_id  text PRIMARY KEY,
  product_id  text NOT NULL,
  owner       text NOT NULL,
  amount      bigint NOT NULL CHECK (amount > 0),
  currency    text NOT NULL,
  passed      text NOT NULL CHECK (passed IN ('returned', 'kept')),
  state       text NOT NULL DEFAULT 'pending'
    CHECK (state IN ('pending', 'lapsed', 'paid', 'counted', 'returned', 'kept')),
  payment_id  text,
  order_id    text,
  -- The session of the draw's entry that it stands for.
  entry       uuid UNIQUE,
  pay_by      timestamptz NOT NULL,
  paid_at     timestamptz,
  -- When a node asks the provider to close it, and asks again.
  next_try_at timestamptz NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  updated_at  timestamptz NOT NULL DEFAULT now(),
  CHECK ((payment_id IS NULL) = (state IN ('pending', 'lapsed')))
);
-- A buyer has one open deposit in a sale.
CREATE UNIQUE INDEX deposits_open ON deposits (product_id, owner) WHERE state IN ('pending', 'paid');
CREATE INDEX deposits_by_product ON deposits (product_id, deposit_id);
-- Buyers and providers name a payment.
CREATE INDEX deposits_by_payment ON deposits (payment_id) WHERE payment_id IS NOT NULL;

-- The barrier against a deposit that ends twice, independent of Redis.
CREATE FUNCTION deposits_go_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (OLD.deposit_id, OLD.product_id, OLD.owner, OLD.amount, OLD.currency, OLD.passed)
      IS DISTINCT FROM (NEW.deposit_id, NEW.product_id, NEW.owner, NEW.amount, NEW.currency, NEW.passed)
    OR (OLD.payment_id IS NOT NULL AND OLD.payment_id IS DISTINCT FROM NEW.payment_id)
    OR (OLD.state <> NEW.state AND (OLD.state, NEW.state) NOT IN (('pending', 'paid'), ('pending', 'lapsed'),
      ('lapsed', 'returned'), ('paid', 'counted'), ('paid', 'returned'), ('paid', 'kept'),
      ('counted', 'returned')))
  THEN
    RAISE EXCEPTION 'the deposit % cannot become % after %', OLD.deposit_id, NEW.state, OLD.state
      USING ERRCODE = 'check_violation', CONSTRAINT = 'deposits_go_forward';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER deposits_go_forward BEFORE UPDATE ON deposits
  FOR EACH ROW EXECUTE FUNCTION deposits_go_forward();

-- A deposit that is returned is a refund. One that the provider returned by itself has its row already.
CREATE FUNCTION refund_deposit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO refunds (order_id, payment_id, amount, currency, cause, state)
  VALUES (NEW.deposit_id, NEW.payment_id, NEW.amount, NEW.currency,
    CASE OLD.state WHEN 'lapsed' THEN 'late' ELSE 'deposit' END, 'due')
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER refund_deposit AFTER UPDATE OF state ON deposits FOR EACH ROW
  WHEN (OLD.state <> 'returned' AND NEW.state = 'returned') EXECUTE FUNCTION refund_deposit();

-- A deposit ends with its order, in one transaction.
CREATE FUNCTION end_deposit_of_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE deposits SET order_id = NEW.order_id, updated_at = now(), state = CASE
      WHEN NEW.status = 'pending' THEN state
      WHEN NEW.status = 'paid' THEN 'counted'
      WHEN NEW.status = 'refunded' THEN 'returned'
      WHEN EXISTS (SELECT 1 FROM order_events e WHERE e.product_id = NEW.product_id
        AND e.order_id = NEW.order_id AND e.kind = 'released' AND e.reason = 'operator') THEN 'returned'
      ELSE passed END
  WHERE deposit_id = NEW.deposit_id AND (state = 'paid' OR (state = 'counted' AND NEW.status = 'refunded'));
  RETURN NULL;
END $$;
CREATE TRIGGER end_deposit_of_order AFTER INSERT OR UPDATE OF status ON orders FOR EACH ROW
  WHEN (NEW.deposit_id IS NOT NULL) EXECUTE FUNCTION end_deposit_of_order();
