-- Operators of the console: roles, ways to sign in, sessions.

-- An operator without a password has not followed the first link yet.
CREATE TABLE operators (
  id           text PRIMARY KEY,
  name         text NOT NULL CHECK (length(name) <= 64),
  -- As names are compared.
  name_key     text NOT NULL UNIQUE CHECK (length(name_key) <= 64),
  -- `checkin` checks tickets in at the entrance and does nothing else.
  role         text NOT NULL CHECK (role IN ('checkin', 'viewer', 'support', 'seller', 'owner')),
  -- Argon2id, as a PHC string.
  password     text,
  -- Secret of the one-time codes, encrypted.
  totp_under   text,
  totp_box     text,
  -- Time step of the last accepted code; none is accepted twice.
  totp_step    bigint NOT NULL DEFAULT 0,
  -- Consecutive sign-ins with the right password and a wrong code.
  wrong_codes  integer NOT NULL DEFAULT 0,
  created_at   timestamptz NOT NULL,
  created_by   text NOT NULL,
  signed_in_at timestamptz,
  CHECK ((password IS NULL) = (totp_box IS NULL) AND (totp_box IS NULL) = (totp_under IS NULL))
);

-- One-time links that set password and one-time codes, at most one per operator.
CREATE TABLE operator_links (
  operator_id text PRIMARY KEY REFERENCES operators ON DELETE CASCADE,
  token_hash  text NOT NULL UNIQUE,
  expires_at  timestamptz NOT NULL
);

-- Keyed hashes of unused recovery codes.
CREATE TABLE operator_recovery_codes (
  operator_id text NOT NULL REFERENCES operators ON DELETE CASCADE,
  code_hash   text NOT NULL,
  PRIMARY KEY (operator_id, code_hash)
);

CREATE TABLE operator_sessions (
  id          text PRIMARY KEY,
  operator_id text NOT NULL REFERENCES operators ON DELETE CASCADE,
  token_hash  text NOT NULL UNIQUE,
  agent       text NOT NULL CHECK (length(agent) <= 200),
  created_at  timestamptz NOT NULL,
  seen_at     timestamptz NOT NULL,
  expires_at  timestamptz NOT NULL
);
CREATE INDEX operator_sessions_of ON operator_sessions (operator_id);

-- Personal tokens for programs.
CREATE TABLE operator_tokens (
  id          text PRIMARY KEY,
  operator_id text NOT NULL REFERENCES operators ON DELETE CASCADE,
  name        text NOT NULL CHECK (length(name) <= 100),
  token_hash  text NOT NULL UNIQUE,
  role        text NOT NULL CHECK (role IN ('checkin', 'viewer', 'support', 'seller', 'owner')),
  created_at  timestamptz NOT NULL,
  expires_at  timestamptz NOT NULL,
  used_at     timestamptz,
  revoked_at  timestamptz
);
CREATE INDEX operator_tokens_of ON operator_tokens (operator_id);

-- People at the identity provider of operators. A row without an operator keeps a person out whose
-- operator was removed or who was unlinked, until an operator who is signed in links it again.
CREATE TABLE operator_identities (
  -- Keyed hash of issuer and subject.
  subject_hash text PRIMARY KEY,
  operator_id  text UNIQUE REFERENCES operators ON DELETE SET NULL,
  linked_at    timestamptz NOT NULL
);
