-- Messages with a one-time code that wait to be sent, for five minutes at most.
CREATE TABLE code_messages (
  id           text PRIMARY KEY,
  channel      text NOT NULL CHECK (channel IN ('sms', 'email')),
  -- A keyed hash. A new message of a subject replaces the one that waits, because a new code ends the old one.
  subject      text NOT NULL,
  -- Recipient and code, encrypted under this master key.
  sealed_under text NOT NULL,
  sealed       text NOT NULL,
  tries        int NOT NULL DEFAULT 0,
  -- Whether the service may have accepted it.
  in_doubt     boolean NOT NULL DEFAULT false,
  -- Whether a try has failed.
  postponed    boolean NOT NULL DEFAULT false,
  next_try_at  timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL
);
CREATE INDEX code_messages_due ON code_messages (channel, next_try_at);
CREATE INDEX code_messages_subject ON code_messages (subject);
CREATE INDEX code_messages_expiry ON code_messages (expires_at);

-- An e-mail address is verified as a telephone is.
ALTER TABLE account_identities DROP CONSTRAINT account_identities_kind_check;
ALTER TABLE account_identities ADD CONSTRAINT account_identities_kind_check
  CHECK (kind IN ('phone', 'email', 'number'));
