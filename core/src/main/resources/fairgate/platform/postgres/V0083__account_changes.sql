-- What lets an account's password be set anew, and what keeps the name of a deleted account.

-- One at a time for each account. The token itself is with its bearer only.
CREATE TABLE account_resets (
  account_id text PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  -- SHA-256 of the token.
  token_hash text NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL
);

-- Names of deleted accounts, which nobody may take until then: who had it is not forgotten so soon.
CREATE TABLE account_names_kept (
  -- A keyed hash of the name as it is compared.
  name_hash  text PRIMARY KEY,
  kept_until timestamptz NOT NULL
);
