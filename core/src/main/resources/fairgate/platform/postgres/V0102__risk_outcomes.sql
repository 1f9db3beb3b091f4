-- What became of decisions: paid, unpaid, cancelled, refunded, appeal_won or appeal_lost.
CREATE TABLE risk_outcomes (
  decision text NOT NULL REFERENCES risk_decisions (id) ON DELETE CASCADE,
  kind     text NOT NULL,
  at       timestamptz NOT NULL,
  PRIMARY KEY (decision, kind)
);
