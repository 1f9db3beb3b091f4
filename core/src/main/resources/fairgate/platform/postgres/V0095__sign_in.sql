-- Ways to sign in besides a password. An account without a password has at least one of them.
ALTER TABLE accounts ALTER COLUMN password DROP NOT NULL;

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
