-- The identities that have got a tier of a sale, each with the buyer as whom the sale counts it. An identity
-- that moves to another account gives no second place in the tier. Both are keyed hashes.
CREATE TABLE tier_members (
  product_id text NOT NULL REFERENCES products (id),
  identity   text NOT NULL,
  member     text NOT NULL,
  PRIMARY KEY (product_id, identity)
);
