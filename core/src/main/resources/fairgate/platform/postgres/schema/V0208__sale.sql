-- The ledger: what was sold. It is filled from the outbox of each sale in Redis.

-- The CHECK is the barrier against overselling that does not depend on Redis.
CREATE TABLE sale_totals (
  product_id text PRIMARY KEY REFERENCES products (id),
  released   bigint NOT NULL DEFAULT 0,
  held       bigint NOT NULL DEFAULT 0,
  confirmed  bigint NOT NULL DEFAULT 0,
  CONSTRAINT sale_totals_never_oversold
    CHECK (held >= 0 AND confirmed >= 0 AND held + confirmed <= released)
);

-- Fairgate's own orders (platform 'fairgate') and orders imported from other platforms. An order may have
-- several products: each is a row, and is redeemed once.
CREATE TABLE orders (
  platform     text NOT NULL,
  order_id     text NOT NULL,
  product_id   text NOT NULL,
  session_id   text,
  user_id      text,
  device       text,
  quantity     int CHECK (quantity > 0),
  amount       bigint CHECK (amount >= 0),
  currency     text,
  status       text NOT NULL CHECK (status IN ('pending', 'paid', 'cancelled', 'expired', 'refunded')),
  version      int NOT NULL DEFAULT 1,
  created_at   timestamptz NOT NULL DEFAULT now(),
  pay_by       timestamptz,
  paid_at      timestamptz,
  -- The version of the event that brought the payment; orders these events among themselves.
  paid_version int,
  payment_id   text,
  -- Until when the order can be redeemed; none = for ever.
  expires_at   timestamptz,
  updated_at   timestamptz NOT NULL DEFAULT now(),
  import_hash  text,
  imported_at  timestamptz,
  -- The deposit that counts towards the price; see the table `deposits`.
  deposit_id   text,
  PRIMARY KEY (platform, order_id, product_id)
) WITH (fillfactor = 85);

-- A session owns at most one live order.
CREATE UNIQUE INDEX orders_one_live_per_session ON orders (product_id, session_id)
  WHERE platform = 'fairgate' AND status IN ('pending', 'paid');

-- Each index costs an entry for each stored order, so a search uses one of these.
CREATE INDEX orders_by_product ON orders (product_id, created_at);
-- A number typed in another case; numbers without capitals are found by the primary key.
CREATE INDEX orders_by_any_case ON orders (lower(order_id))
  WHERE platform <> 'fairgate' AND order_id <> lower(order_id);
CREATE INDEX orders_by_number ON orders (right(order_id, 8)) WHERE platform = 'fairgate';
CREATE INDEX orders_newest ON orders (created_at DESC, order_id DESC) WHERE platform = 'fairgate';
-- Paid orders are many; the newest ones are found through orders_newest.
CREATE INDEX orders_by_status ON orders (status, created_at DESC, order_id DESC)
  WHERE platform = 'fairgate' AND status <> 'paid';
-- A guest is counted by the device, so this index finds the orders of guests, too.
CREATE INDEX orders_by_user ON orders (user_id, created_at DESC, order_id DESC)
  WHERE platform = 'fairgate';
CREATE INDEX orders_by_device ON orders (device, created_at DESC, order_id DESC)
  WHERE platform = 'fairgate' AND device <> user_id;
CREATE INDEX orders_by_payment ON orders (payment_id)
  WHERE platform = 'fairgate' AND payment_id IS NOT NULL;
-- Refunds are few; the codes that they void are found by the time of the refund.
CREATE INDEX orders_refunded ON orders (updated_at) WHERE status = 'refunded';

CREATE TABLE order_events (
  product_id    text NOT NULL,
  epoch         bigint NOT NULL,
  seq           bigint NOT NULL,
  -- extended: an operator extended the payment deadline.
  kind          text NOT NULL CHECK (kind IN
    ('reserved', 'extended', 'confirmed', 'released', 'refund_due', 'refunded', 'stock')),
  order_id      text,
  status        text,
  -- The order's version, or a stock batch's number.
  version       int NOT NULL,
  quantity      int NOT NULL,
  amount        bigint,
  at            timestamptz NOT NULL,
  reason        text,
  payment_id    text,
  recorded_at   timestamptz NOT NULL DEFAULT now(),
  -- The amount and the part of a refund, as in the table `refunds`.
  refund_amount bigint,
  refund_part   text,
  PRIMARY KEY (product_id, epoch, seq)
);
CREATE INDEX order_events_by_order ON order_events (order_id);
CREATE TRIGGER order_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON order_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- How far the ledger has read each sale's outbox; gaps at rest mean lost entries.
CREATE TABLE outbox_positions (
  product_id text PRIMARY KEY,
  epoch      bigint NOT NULL,
  first_seq  bigint NOT NULL,
  last_seq   bigint NOT NULL,
  applied    bigint NOT NULL,
  gaps       bigint GENERATED ALWAYS AS (last_seq - first_seq + 1 - applied) STORED,
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- How many events of epochs before `epoch` the ledger has.
  earlier    bigint NOT NULL DEFAULT 0
);

-- The highest epoch that was ever opened for a sale: no epoch is opened twice, not even one whose events have not
-- arrived here yet.
CREATE TABLE sale_epochs (
  product_id text PRIMARY KEY,
  opened     bigint NOT NULL
);

-- Entries of the outbox that the ledger could not take.
CREATE TABLE dead_letters (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  product_id  text NOT NULL,
  stream_id   text NOT NULL,
  entry       jsonb NOT NULL,
  error       text NOT NULL,
  tries       int NOT NULL,
  parked_at   timestamptz NOT NULL DEFAULT now(),
  resolved_at timestamptz
);
-- One letter per entry of one epoch of the stream, whoever parks it.
CREATE UNIQUE INDEX dead_letters_once ON dead_letters (product_id, stream_id, md5(entry::text));
CREATE INDEX dead_letters_open ON dead_letters (product_id) WHERE resolved_at IS NULL;

-- Order numbers are drawn in blocks of 2^20 and permuted with the secret, so that they are unique and do not
-- tell how many orders there are. The sequence has as many values as there are blocks of 40 bits.
CREATE SEQUENCE order_number_blocks AS bigint MINVALUE 0 MAXVALUE 1048575 START 0 CYCLE;
CREATE TABLE order_number_secret (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  secret text NOT NULL
);
INSERT INTO order_number_secret (secret)
  VALUES (gen_random_uuid()::text || gen_random_uuid()::text);

-- Notes of operators about an order. The same text is noted once.
CREATE TABLE order_notes (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  order_id text NOT NULL,
  at       timestamptz NOT NULL DEFAULT now(),
  actor    text NOT NULL,
  note     text NOT NULL
);
CREATE UNIQUE INDEX order_notes_once ON order_notes (order_id, md5(note));

-- Details that buyers gave when a product asked for them (name, address, ...), encrypted: one row for each such order.
CREATE TABLE order_details (
  order_id     text PRIMARY KEY,
  product_id   text NOT NULL,
  -- The user as whom the sale counts the buyer, as in orders: the deletion of an account finds its rows by it.
  user_id      text NOT NULL,
  sealed_under text NOT NULL,
  sealed       text NOT NULL,
  given_at     timestamptz NOT NULL DEFAULT now(),
  changed_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX order_details_by_age ON order_details (given_at);
CREATE INDEX order_details_by_user ON order_details (user_id);
CREATE INDEX order_details_by_product ON order_details (product_id, order_id);

-- How often the links of an order in messages were ended; no row = never.
CREATE TABLE order_links (
  order_id text PRIMARY KEY,
  ended    int NOT NULL,
  ended_at timestamptz NOT NULL DEFAULT now()
);

-- The course of each sale, for the report after it. Every node writes the same minute.
CREATE TABLE sale_minutes (
  product_id text NOT NULL,
  minute     timestamptz NOT NULL,
  joined     bigint NOT NULL,
  admitted   bigint NOT NULL,
  missed     bigint NOT NULL,
  waiting    bigint NOT NULL,
  buyers     bigint NOT NULL,
  free       bigint NOT NULL,
  PRIMARY KEY (product_id, minute)
);
CREATE INDEX sale_minutes_by_age ON sale_minutes USING brin (minute);

-- The refusals of joins and purchases, added up over all nodes.
CREATE TABLE sale_refusals (
  product_id text NOT NULL,
  minute     timestamptz NOT NULL,
  reason     text NOT NULL,
  refused    bigint NOT NULL,
  PRIMARY KEY (product_id, minute, reason)
);
CREATE INDEX sale_refusals_by_age ON sale_refusals USING brin (minute);
