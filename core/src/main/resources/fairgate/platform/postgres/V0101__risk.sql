-- The decision log of risk. All names of people and devices are keyed hashes.

-- Every bundle that has decided, so that a decision can be replayed after an upgrade.
CREATE TABLE risk_bundles (
  -- SHA-256 of the document, 64 hexadecimal digits.
  sha256     text PRIMARY KEY,
  json       text NOT NULL,
  first_used timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE risk_decisions (
  id         text PRIMARY KEY,
  at         timestamptz NOT NULL,
  -- join, purchase or claim
  route      text NOT NULL,
  sale       text NOT NULL,
  -- The keyed hash of the person or device, and of the device within the sale.
  subject    text NOT NULL,
  device     text,
  bundle     text NOT NULL REFERENCES risk_bundles (sha256),
  -- The version of the features, and their binary form.
  schema     int NOT NULL,
  features   bytea NOT NULL,
  score      int NOT NULL,
  band       text NOT NULL,
  action     text NOT NULL,
  -- Codes with points, as 'code:points', most points first; codes of shadow rules that matched.
  reasons    text[] NOT NULL,
  shadow     text[] NOT NULL,
  -- What shadow bundles would have done, as 'sha256:score:action'.
  shadows    text[] NOT NULL,
  -- Whether the action took effect, and whether a source of features was missing.
  applied    boolean NOT NULL,
  degraded   boolean NOT NULL,
  latency_us int NOT NULL
);
CREATE INDEX risk_decisions_by_time ON risk_decisions (at);
CREATE INDEX risk_decisions_by_subject ON risk_decisions (subject, at);
