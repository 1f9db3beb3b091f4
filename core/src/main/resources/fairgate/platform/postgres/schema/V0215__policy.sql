-- Versions of the risk policy. The content of a version never changes. One pointer names the versions
-- in use, and its change number tells the nodes when to read it again.
CREATE TABLE policies (
  version    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- JSON, exactly as it was published.
  bundle     text NOT NULL CHECK (octet_length(bundle) BETWEEN 2 AND 1048576),
  sha256     text NOT NULL UNIQUE CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  -- Decides which people a canary gets.
  salt       text NOT NULL CHECK (length(salt) BETWEEN 16 AND 64),
  author     text NOT NULL,
  parent     bigint REFERENCES policies (version),
  note       text NOT NULL CHECK (length(note) <= 500),
  -- When its canary is stopped: JSON.
  guardrails text NOT NULL CHECK (length(guardrails) <= 2000),
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TRIGGER policies_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON policies
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE policy_pointer (
  only_row     boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  change       bigint NOT NULL DEFAULT 0,
  active       bigint REFERENCES policies (version),
  previous     bigint REFERENCES policies (version),
  canary       bigint REFERENCES policies (version),
  -- Numbers the counts of a canary: the change that started it.
  canary_run   bigint NOT NULL DEFAULT 0,
  -- Of 10,000 people: now, and when the ramp is complete. A canary of 0 decides nothing and is only evaluated.
  canary_share integer NOT NULL DEFAULT 0 CHECK (canary_share BETWEEN 0 AND 10000),
  canary_goal  integer NOT NULL DEFAULT 0 CHECK (canary_goal BETWEEN 0 AND 10000),
  CHECK (canary IS NULL OR (canary <> active AND canary_share BETWEEN 0 AND canary_goal))
);
INSERT INTO policy_pointer DEFAULT VALUES;

CREATE TABLE policy_steps (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  version bigint NOT NULL REFERENCES policies (version),
  step    text NOT NULL,
  actor   text NOT NULL,
  detail  text NOT NULL DEFAULT '',
  at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX policy_steps_by_version ON policy_steps (version, id);

-- The latest backtest of a version.
CREATE TABLE policy_backtests (
  version bigint PRIMARY KEY REFERENCES policies (version),
  hash    text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
  report  text NOT NULL CHECK (octet_length(report) <= 1048576),
  actor   text NOT NULL,
  at      timestamptz NOT NULL DEFAULT now()
);

-- Decisions under a canary (sides `canary` and `active`), added up by all nodes.
CREATE TABLE policy_counts (
  run  bigint NOT NULL,
  side text NOT NULL,
  fact text NOT NULL CHECK (length(fact) <= 60),
  n    bigint NOT NULL,
  PRIMARY KEY (run, side, fact)
);
