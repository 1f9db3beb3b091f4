-- What is offered.

CREATE SEQUENCE product_changes;

CREATE TABLE products (
  id            text PRIMARY KEY CHECK (id ~ '^[0-9]{1,19}$'),
  name          text NOT NULL,
  image_url     text NOT NULL,
  price         bigint NOT NULL CHECK (price >= 0),
  currency      text NOT NULL CHECK (length(currency) = 3),
  total_stock   int NOT NULL CHECK (total_stock >= 0),
  duration_days int CHECK (duration_days > 0),
  state         text NOT NULL DEFAULT 'scheduled'
                CHECK (state IN ('scheduled', 'open', 'paused', 'closed')),
  opens_at      timestamptz,
  closes_at     timestamptz,
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now(),
  -- Higher after every change of the product, its policy or its batches: what the snapshot watches.
  version       bigint NOT NULL DEFAULT nextval('product_changes')
);

CREATE TABLE sale_policies (
  product_id text NOT NULL REFERENCES products (id),
  version    int NOT NULL,
  policy     jsonb NOT NULL,
  active     boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  actor      text NOT NULL,
  PRIMARY KEY (product_id, version)
);
CREATE UNIQUE INDEX sale_policies_one_active ON sale_policies (product_id) WHERE active;

CREATE TABLE stock_batches (
  product_id  text NOT NULL REFERENCES products (id),
  seq         int NOT NULL,
  quantity    int NOT NULL CHECK (quantity > 0),
  due_at      timestamptz,
  batch_key   text NOT NULL,
  -- The place in the order of release, without gaps: the number the Redis script expects.
  release_seq int,
  released_at timestamptz,
  PRIMARY KEY (product_id, seq),
  UNIQUE (product_id, batch_key),
  UNIQUE (product_id, release_seq),
  CHECK ((release_seq IS NULL) = (released_at IS NULL))
);
CREATE INDEX stock_batches_waiting ON stock_batches (product_id, due_at) WHERE released_at IS NULL;

-- What was sold. The CHECK is the barrier against overselling that does not depend on Redis.

CREATE TABLE sale_totals (
  product_id text PRIMARY KEY REFERENCES products (id),
  released   bigint NOT NULL DEFAULT 0,
  held       bigint NOT NULL DEFAULT 0,
  confirmed  bigint NOT NULL DEFAULT 0,
  CONSTRAINT sale_totals_never_oversold
    CHECK (held >= 0 AND confirmed >= 0 AND held + confirmed <= released)
);

-- Fairgate's own orders (platform 'fairgate') and those imported from elsewhere.
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
  -- The version of the edge that brought the payment; orders those edges among themselves.
  paid_version int,
  payment_id   text,
  -- Until when the order can be redeemed; none = for ever.
  expires_at   timestamptz,
  updated_at   timestamptz NOT NULL DEFAULT now(),
  import_hash  text,
  imported_at  timestamptz,
  PRIMARY KEY (platform, order_id)
) WITH (fillfactor = 85);
-- A session owns at most one live order.
CREATE UNIQUE INDEX orders_one_live_per_session ON orders (product_id, session_id)
  WHERE platform = 'fairgate' AND status IN ('pending', 'paid');
CREATE INDEX orders_by_product ON orders (product_id, created_at);

CREATE TABLE order_events (
  product_id  text NOT NULL,
  epoch       bigint NOT NULL,
  seq         bigint NOT NULL,
  kind        text NOT NULL
              CHECK (kind IN ('reserved', 'confirmed', 'released', 'refund_due', 'refunded', 'stock')),
  order_id    text,
  status      text,
  -- The order's version, or a stock batch's number.
  version     int NOT NULL,
  quantity    int NOT NULL,
  amount      bigint,
  at          timestamptz NOT NULL,
  reason      text,
  payment_id  text,
  recorded_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (product_id, epoch, seq)
);
CREATE INDEX order_events_by_order ON order_events (order_id);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER order_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON order_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Money that is to be given back, each payment once.
CREATE TABLE refunds (
  order_id    text NOT NULL,
  payment_id  text NOT NULL,
  amount      bigint NOT NULL CHECK (amount >= 0),
  currency    text NOT NULL,
  state       text NOT NULL CHECK (state IN ('due', 'done', 'failed')),
  tries       int NOT NULL DEFAULT 0,
  next_try_at timestamptz NOT NULL DEFAULT now(),
  done_at     timestamptz,
  PRIMARY KEY (order_id, payment_id)
);
CREATE INDEX refunds_due ON refunds (next_try_at) WHERE state = 'due';

-- Entries of the outbox the ledger could not take.
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

-- How far the ledger has read each sale's outbox; gaps at rest mean lost entries.
CREATE TABLE outbox_positions (
  product_id text PRIMARY KEY,
  epoch      bigint NOT NULL,
  first_seq  bigint NOT NULL,
  last_seq   bigint NOT NULL,
  applied    bigint NOT NULL,
  gaps       bigint GENERATED ALWAYS AS (last_seq - first_seq + 1 - applied) STORED,
  updated_at timestamptz NOT NULL DEFAULT now()
);
