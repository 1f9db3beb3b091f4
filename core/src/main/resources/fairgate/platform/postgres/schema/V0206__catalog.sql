-- Products: what is offered, by which policy, and in which batches.

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
  -- Higher after every change of the product, its policy or its batches: nodes read the catalog again then.
  version       bigint NOT NULL DEFAULT nextval('product_changes'),
  -- Whether the sale has been opened: the state after a pause of a sale without opens_at.
  opened        boolean NOT NULL DEFAULT false,
  -- What buyers read: names and descriptions by language, venue, start, seller, terms, images. NULL = nothing.
  content       jsonb
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

-- Pictures of products that operators have uploaded, each once.
CREATE TABLE pictures (
  -- SHA-256 of the bytes, hexadecimal.
  id          text PRIMARY KEY,
  type        text NOT NULL CHECK (type IN ('image/png', 'image/jpeg', 'image/webp', 'image/gif')),
  bytes       bytea NOT NULL CHECK (octet_length(bytes) BETWEEN 1 AND 1000000),
  actor       text NOT NULL,
  -- The last upload.
  uploaded_at timestamptz NOT NULL DEFAULT now()
);
-- Pictures are compressed already.
ALTER TABLE pictures ALTER COLUMN bytes SET STORAGE EXTERNAL;
