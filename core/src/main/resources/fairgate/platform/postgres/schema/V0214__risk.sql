-- The decision log of risk. All names of people and devices are keyed hashes.

-- Every bundle that has decided, so that a decision can be replayed after an upgrade.
CREATE TABLE risk_bundles (
  -- SHA-256 of the document, 64 hexadecimal digits.
  sha256     text PRIMARY KEY,
  json       text NOT NULL,
  first_used timestamptz NOT NULL DEFAULT now()
);

-- Every judged request is a row, so a row must be cheap. There is no foreign key to the bundle: bundles are written in
-- the same transaction before and never deleted.
CREATE TABLE risk_decisions (
  id          text PRIMARY KEY,
  at          timestamptz NOT NULL,
  -- join, purchase or claim
  route       text NOT NULL,
  sale        text NOT NULL,
  -- The keyed hash of the person or device, and of the device within the sale.
  subject     text NOT NULL,
  device      text,
  -- The bundle's sha256.
  bundle      text NOT NULL,
  -- The version of the features, and their binary form.
  schema      int NOT NULL,
  features    bytea NOT NULL,
  score       int NOT NULL,
  band        text NOT NULL,
  action      text NOT NULL,
  -- Codes with points, as 'code:points', most points first; codes of shadow rules that matched.
  reasons     text[] NOT NULL,
  shadow      text[] NOT NULL,
  -- What shadow bundles would have done, as 'sha256:score:action'.
  shadows     text[] NOT NULL,
  -- Whether the action took effect, and whether a source of features was missing.
  applied     boolean NOT NULL,
  degraded    boolean NOT NULL,
  latency_us  int NOT NULL,
  -- The public reason that the person was told, and what would help. NULL when nothing was told.
  told_reason text,
  told_help   text[],
  -- The keyed hash of the client's address, so that a person without the cookie is recognised at the same address.
  network     text
);
CREATE INDEX risk_decisions_by_time ON risk_decisions (at);
CREATE INDEX risk_decisions_by_device ON risk_decisions (sale, device) WHERE device IS NOT NULL;

-- Results of decisions: paid, unpaid, cancelled, refunded, appeal_won or appeal_lost.
CREATE TABLE risk_outcomes (
  decision text NOT NULL REFERENCES risk_decisions (id) ON DELETE CASCADE,
  kind     text NOT NULL,
  at       timestamptz NOT NULL,
  -- The person whose appeal was decided: appeals are found in these few rows instead of in all decisions.
  subject  text,
  PRIMARY KEY (decision, kind)
);
-- The guardrails of a canary count decided appeals twice a second.
CREATE INDEX risk_outcomes_appeals ON risk_outcomes (decision)
  WHERE kind IN ('appeal_won', 'appeal_lost');
CREATE INDEX risk_outcomes_of_appeals ON risk_outcomes (subject) WHERE subject IS NOT NULL;

-- Results of a decision: appeals, and orders of the same device in the sale after it. Orders are joined here instead of
-- being copied to risk_outcomes.
CREATE VIEW decision_outcomes AS
  SELECT decision, kind FROM risk_outcomes
  UNION
  SELECT d.id, k.kind
  FROM risk_decisions d
  JOIN orders o ON o.platform = 'fairgate' AND o.product_id = d.sale
    AND o.created_at >= d.at - interval '10 seconds'
    AND ((o.user_id = d.device AND o.device = d.device)
      OR (o.device = d.device AND o.device <> o.user_id))
  CROSS JOIN LATERAL (VALUES ('paid', o.paid_at IS NOT NULL), ('unpaid', o.status = 'expired'),
    ('cancelled', o.status = 'cancelled'), ('refunded', o.status = 'refunded')) AS k (kind, holds)
  WHERE d.route IN ('join', 'purchase') AND k.holds;
