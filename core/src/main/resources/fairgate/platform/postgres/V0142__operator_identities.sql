-- People at the identity provider of operators. A row without an operator keeps a person out whose
-- operator was removed or who was unlinked, until an operator who is signed in links it again.
CREATE TABLE operator_identities (
  -- Keyed hash of issuer and subject.
  subject_hash text PRIMARY KEY,
  operator_id  text UNIQUE REFERENCES operators ON DELETE SET NULL,
  linked_at    timestamptz NOT NULL
);

-- The list of messages for operators.
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (created_at DESC, id DESC);
