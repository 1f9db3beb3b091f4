-- Invitations to the tiers of a sale: people on a list, and single-use links.
CREATE TABLE invitations (
  product_id text NOT NULL REFERENCES products (id),
  -- The keyed hash of a person's identity, or of a link's code.
  hash       text NOT NULL,
  tier       text NOT NULL,
  is_link    boolean NOT NULL,
  -- The keyed hash of the account or browser that used the link; only it can use the link again.
  used_by    text CHECK (used_by IS NULL OR is_link),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (product_id, hash)
);
