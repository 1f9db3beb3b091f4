-- What operators need to find an order, to refund a part of it and to annotate it.

-- Order numbers are drawn in blocks of 2^20 and permuted with the secret, so that they are unique and do not
-- tell how many orders there are. The sequence has as many values as there are blocks of 40 bits.
CREATE SEQUENCE order_number_blocks AS bigint MINVALUE 0 MAXVALUE 1048575 START 0 CYCLE;
CREATE TABLE order_number_secret (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  secret text NOT NULL
);
INSERT INTO order_number_secret (secret)
  VALUES (gen_random_uuid()::text || gen_random_uuid()::text);

CREATE INDEX orders_by_number ON orders (right(order_id, 8)) WHERE platform = 'fairgate';
CREATE INDEX orders_newest ON orders (created_at DESC, order_id DESC) WHERE platform = 'fairgate';
CREATE INDEX orders_by_status ON orders (status, created_at DESC, order_id DESC)
  WHERE platform = 'fairgate';
CREATE INDEX orders_by_user ON orders (user_id, created_at DESC, order_id DESC)
  WHERE platform = 'fairgate';
CREATE INDEX orders_by_device ON orders (device, created_at DESC, order_id DESC)
  WHERE platform = 'fairgate';
CREATE INDEX orders_by_payment ON orders (payment_id)
  WHERE platform = 'fairgate' AND payment_id IS NOT NULL;

-- A payment may go back in parts. The part is empty for a refund that ends the order or returns a payment
-- that no order needs; else it is the hash of the operator's idempotency key.
ALTER TABLE refunds ADD COLUMN part text NOT NULL DEFAULT '';
ALTER TABLE refunds DROP CONSTRAINT refunds_pkey;
ALTER TABLE refunds ADD CONSTRAINT refunds_pkey PRIMARY KEY (order_id, payment_id, part);
ALTER TABLE order_events ADD COLUMN refund_amount bigint, ADD COLUMN refund_part text;

-- The barrier against returning more than was paid, independent of Redis.
CREATE FUNCTION refuse_refund_above_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT sum(r.amount) FROM refunds r
      WHERE r.order_id = NEW.order_id AND r.payment_id = NEW.payment_id)
    > (SELECT o.amount FROM orders o WHERE o.platform = 'fairgate'
       AND o.order_id = NEW.order_id AND o.payment_id = NEW.payment_id)
  THEN
    RAISE EXCEPTION 'the refunds of % are more than was paid', NEW.order_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds_never_above_payment';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER refunds_never_above_payment AFTER INSERT OR UPDATE OF amount ON refunds
  FOR EACH ROW EXECUTE FUNCTION refuse_refund_above_payment();

-- What operators write about an order. The same text is noted once.
CREATE TABLE order_notes (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  order_id text NOT NULL,
  at       timestamptz NOT NULL DEFAULT now(),
  actor    text NOT NULL,
  note     text NOT NULL
);
CREATE UNIQUE INDEX order_notes_once ON order_notes (order_id, md5(note));

-- The events of an order in the audit log.
CREATE INDEX audit_log_by_order ON audit_log (substring(content from '"order":"([^"]+)"'), day, seq)
  WHERE kind IN ('purchase', 'admin') AND content IS NOT NULL;

-- Earlier servers write refunds by (order_id, payment_id), which is no key any more.
UPDATE data_compatibility SET minimum = 126;
