-- What every feature uses: the versions of the data, and the guard of append-only tables.

-- The lowest schema version whose servers may work on these data. A migration that earlier servers would misread or
-- damage raises it: UPDATE data_compatibility SET minimum = <its own number>.
CREATE TABLE data_compatibility (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  minimum  int NOT NULL
);
INSERT INTO data_compatibility (minimum) VALUES (201);

-- The signing keys that servers have used on these data, so that a server with other keys is noticed when it starts.
CREATE TABLE master_keys (
  key_id      text PRIMARY KEY,
  -- HMAC-SHA256 under the key itself: it tells two keys of one name apart, and tells nothing of the key.
  fingerprint text NOT NULL,
  added_at    timestamptz NOT NULL DEFAULT now()
);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
