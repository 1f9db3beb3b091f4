-- Names that look alike are one: how a name looks, with one letter for all that look like it. None until a server has
-- judged the name; `=` and the name's key where an older account looks the same.
ALTER TABLE accounts ADD COLUMN look text;
CREATE UNIQUE INDEX accounts_look ON accounts (look);
CREATE INDEX accounts_not_judged ON accounts (created_at) WHERE look IS NULL;

-- Links end with the account that made them.
UPDATE short_links SET disabled_at = now(), version = nextval('short_link_changes'),
  changed_xid = pg_current_xact_id()
WHERE owner LIKE 'account:%' AND disabled_at IS NULL
  AND NOT EXISTS (SELECT FROM accounts a WHERE 'account:' || a.id = owner);
