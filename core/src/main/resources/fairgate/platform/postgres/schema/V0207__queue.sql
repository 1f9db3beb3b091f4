-- Who may join a sale by invitation, and what operators tell those who wait.

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

-- The identities that have got a tier of a sale, each with the buyer as whom the sale counts it. An identity
-- that moves to another account gives no second place in the tier. Both are keyed hashes.
CREATE TABLE tier_members (
  product_id text NOT NULL REFERENCES products (id),
  identity   text NOT NULL,
  member     text NOT NULL,
  PRIMARY KEY (product_id, identity)
);

-- Notices of operators to everybody who waits for a sale: texts by language.
CREATE TABLE sale_notices (
  product_id text PRIMARY KEY REFERENCES products (id) ON DELETE CASCADE,
  texts      jsonb NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now()
);
