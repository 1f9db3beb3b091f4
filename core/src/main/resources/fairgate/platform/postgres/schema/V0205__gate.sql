-- Bans and exemptions, and the API keys of programs.

-- Nodes hold the bans in force in memory and learn of changes by their versions, which are committed in order (writers
-- hold one advisory lock).
CREATE SEQUENCE ban_changes;
CREATE TABLE bans (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  effect     text NOT NULL CHECK (effect IN ('ban', 'allow')),
  kind       text NOT NULL CHECK (kind IN ('ip', 'network', 'asn', 'country', 'device', 'account', 'session')),
  value      text NOT NULL CHECK (length(value) BETWEEN 1 AND 200),
  reason     text NOT NULL,
  actor      text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- None = for ever.
  until      timestamptz,
  lifted_at  timestamptz,
  lifted_by  text,
  version    bigint NOT NULL DEFAULT nextval('ban_changes'),
  CHECK ((lifted_at IS NULL) = (lifted_by IS NULL))
);
CREATE UNIQUE INDEX bans_one_live ON bans (effect, kind, value) WHERE lifted_at IS NULL;
CREATE INDEX bans_by_version ON bans (version);

-- API keys with which programs sign their requests. The secret is sealed under a master key of the server.
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
  -- Nodes read the keys again that have changed.
  changed_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);
