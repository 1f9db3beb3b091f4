-- Amnesties, seats behind others without a decision, and the grades `slower` and `behind` are gone.
DROP TABLE appeal_amnesties;
ALTER TABLE appeals DROP COLUMN seated_at, DROP COLUMN allow_id;

-- People with these grades may still take part.
UPDATE bans SET actor = 'appeal', version = nextval('ban_changes')
WHERE effect = 'allow' AND actor IN ('appeal.slower', 'appeal.behind') AND lifted_at IS NULL AND until > now();
UPDATE bans SET lifted_at = now(), lifted_by = 'appeal', version = nextval('ban_changes')
WHERE effect = 'allow' AND actor = 'appeal.late' AND lifted_at IS NULL AND until > now();
