-- A canary of 0 percent of the people is evaluated beside the active version, as a shadow was.
ALTER TABLE policy_pointer DROP CONSTRAINT policy_pointer_check,
  ADD CONSTRAINT policy_pointer_check CHECK (canary IS NULL OR (canary <> active AND canary_share BETWEEN 0 AND canary_goal));
UPDATE policy_pointer SET canary = shadow, canary_run = shadow_run, canary_share = 0, canary_goal = 0, change = change + 1
WHERE canary IS NULL AND shadow IS NOT NULL;
UPDATE policy_counts SET side = 'canary' WHERE side = 'shadow';
ALTER TABLE policy_pointer DROP COLUMN shadow, DROP COLUMN shadow_run;
