-- Pictures of products that operators have uploaded, each once.
CREATE TABLE pictures (
  -- SHA-256 of the bytes, hexadecimal.
  id          text PRIMARY KEY,
  type        text NOT NULL CHECK (type IN ('image/png', 'image/jpeg', 'image/webp', 'image/gif')),
  bytes       bytea NOT NULL CHECK (octet_length(bytes) BETWEEN 1 AND 1000000),
  actor       text NOT NULL,
  -- The last upload.
  uploaded_at timestamptz NOT NULL DEFAULT now()
);
-- Pictures are compressed already.
ALTER TABLE pictures ALTER COLUMN bytes SET STORAGE EXTERNAL;
