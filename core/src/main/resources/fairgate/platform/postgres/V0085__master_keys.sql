-- The signing keys that servers have used on these data, so that a server with other keys is noticed when it starts.

CREATE TABLE master_keys (
  key_id      text PRIMARY KEY,
  -- HMAC-SHA256 under the key itself: it tells two keys of one name apart, and tells nothing of the key.
  fingerprint text NOT NULL,
  added_at    timestamptz NOT NULL DEFAULT now()
);
