-- Who is kept out, and who is always let in. Nodes hold what is in force in memory and learn of
-- changes by their versions, which are committed in order (writers hold one advisory lock).

CREATE SEQUENCE ban_changes;

CREATE TABLE bans (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  effect     text NOT NULL CHECK (effect IN ('ban', 'allow')),
  kind       text NOT NULL CHECK (kind IN ('ip', 'network', 'asn', 'device', 'account', 'session')),
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
