-- Every judged request is a row, so a row must be cheap. The check of the bundle's existence ran for each row,
-- although bundles are written in the same transaction before and never deleted.
ALTER TABLE risk_decisions DROP CONSTRAINT risk_decisions_bundle_fkey;

-- The results of a person's appeals are found in the few outcomes instead of by an index of all decisions.
ALTER TABLE risk_outcomes ADD COLUMN subject text;
UPDATE risk_outcomes o SET subject = d.subject FROM risk_decisions d
  WHERE d.id = o.decision AND o.kind IN ('appeal_won', 'appeal_lost');
CREATE INDEX risk_outcomes_of_appeals ON risk_outcomes (subject) WHERE subject IS NOT NULL;
DROP INDEX risk_decisions_by_subject;
