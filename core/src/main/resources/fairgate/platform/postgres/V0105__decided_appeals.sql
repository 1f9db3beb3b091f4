-- The guardrails of a canary count decided appeals twice a second.
CREATE INDEX risk_outcomes_appeals ON risk_outcomes (decision)
  WHERE kind IN ('appeal_won', 'appeal_lost');
