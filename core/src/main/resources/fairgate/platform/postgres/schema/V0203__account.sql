-- Accounts of buyers: ways to sign in, sessions, and verified identities.

CREATE TABLE accounts (
  id         text PRIMARY KEY CHECK (id ~ '^acc_[A-Za-z0-9_-]{22}$'),
  username   text NOT NULL,
  -- The name as it is compared: NFKC, lower case.
  name_key   text NOT NULL UNIQUE,
  -- A PHC string; never the password. An account without one signs in with a provider or a passkey.
  password   text CHECK (password LIKE '$argon2id$%'),
  created_at timestamptz NOT NULL,
  -- Names that look alike are one: how a name looks, with one letter for all that look like it. None until a server
  -- has judged the name; `=` and the name's key where an older account looks the same.
  look       text
);
CREATE UNIQUE INDEX accounts_look ON accounts (look);
CREATE INDEX accounts_not_judged ON accounts (created_at) WHERE look IS NULL;

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

-- Verified phone numbers, e-mail addresses and identity numbers.
CREATE TABLE account_identities (
  kind         text NOT NULL CHECK (kind IN ('phone', 'email', 'number')),
  -- The sale an identity number was given for; empty for what holds everywhere.
  event        text NOT NULL,
  -- A keyed hash; for numbers one that is different in every sale.
  hash         text NOT NULL,
  account_id   text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  -- Its last characters, which tell the owner which one it is.
  hint         text NOT NULL,
  verified_at  timestamptz NOT NULL,
  -- The e-mail address with its language, encrypted, for receipts.
  sealed_under text,
  sealed       text,
  PRIMARY KEY (kind, event, hash),
  UNIQUE (account_id, kind, event),
  CONSTRAINT account_identities_sealed_email
    CHECK (sealed IS NULL OR (kind = 'email' AND sealed_under IS NOT NULL))
);

CREATE TABLE account_providers (
  -- A keyed hash of the provider's issuer and its name for the person.
  subject_hash text PRIMARY KEY,
  account_id   text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  -- The provider's name in the settings.
  provider     text NOT NULL,
  linked_at    timestamptz NOT NULL,
  UNIQUE (account_id, provider)
);

CREATE TABLE account_passkeys (
  -- base64url, as the authenticator chose it.
  credential_id   text PRIMARY KEY CHECK (length(credential_id) <= 1400),
  account_id      text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  -- COSE_Key.
  public_key      bytea NOT NULL,
  sign_count      bigint NOT NULL,
  created_at      timestamptz NOT NULL,
  used_at         timestamptz
);
CREATE INDEX account_passkeys_by_account ON account_passkeys (account_id, created_at);

-- Permissions to set a new password, one at a time for each account. The token itself is with its bearer only.
CREATE TABLE account_resets (
  account_id text PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  -- SHA-256 of the token.
  token_hash text NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL
);

-- Names of deleted accounts, which nobody may take until then.
CREATE TABLE account_names_kept (
  -- A keyed hash of the name as it is compared.
  name_hash  text PRIMARY KEY,
  kept_until timestamptz NOT NULL
);

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
  expires_at   timestamptz NOT NULL,
  -- When the message was written; an e-mail shows it.
  created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX code_messages_due ON code_messages (channel, next_try_at);
CREATE INDEX code_messages_subject ON code_messages (subject);
CREATE INDEX code_messages_expiry ON code_messages (expires_at);
