-- Who may sign in, where they are signed in, and what is verified about them.

CREATE TABLE accounts (
  id         text PRIMARY KEY CHECK (id ~ '^acc_[A-Za-z0-9_-]{22}$'),
  username   text NOT NULL,
  -- The name as it is compared: NFKC, lower case.
  name_key   text NOT NULL UNIQUE,
  -- A PHC string; never the password.
  password   text NOT NULL CHECK (password LIKE '$argon2id$%'),
  created_at timestamptz NOT NULL
);

CREATE TABLE account_sessions (
  id         text PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  -- SHA-256 of the token; the token itself is with its bearer only.
  token_hash text NOT NULL UNIQUE,
  agent      text NOT NULL,
  created_at timestamptz NOT NULL,
  seen_at    timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX account_sessions_by_account ON account_sessions (account_id, created_at);

CREATE TABLE account_identities (
  kind        text NOT NULL CHECK (kind IN ('phone', 'number')),
  -- The sale an identity number was given for; empty for what holds everywhere.
  event       text NOT NULL,
  -- A keyed hash; for numbers one that is different in every sale.
  hash        text NOT NULL,
  account_id  text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  -- What tells the owner which one it is: its last characters.
  hint        text NOT NULL,
  verified_at timestamptz NOT NULL,
  PRIMARY KEY (kind, event, hash),
  UNIQUE (account_id, kind, event)
);
