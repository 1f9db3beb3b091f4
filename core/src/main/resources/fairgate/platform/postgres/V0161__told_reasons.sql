-- What the person was told about a decision: the public reason, and what would help. NULL when nothing
-- was told, and in decisions from before.
ALTER TABLE risk_decisions ADD COLUMN told_reason text;
ALTER TABLE risk_decisions ADD COLUMN told_help text[];
