-- Keys that programs sign their requests with. The secret is sealed under a master key of the server.
CREATE TABLE api_keys (
  key_id       text PRIMARY KEY CHECK (key_id ~ '^ak_[A-Za-z0-9_-]{22}$'),
  name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  created_at   timestamptz NOT NULL DEFAULT now(),
  created_by   text NOT NULL,
  expires_at   timestamptz,
  revoked_at   timestamptz,
  revoked_by   text,
  sealed_under text NOT NULL,
  sealed       text NOT NULL,
  -- What every node's picture of the keys watches.
  changed_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);
