-- What buyers gave when a product asked for it (name, address, ...), encrypted. One row for each order that gave it.
CREATE TABLE order_details (
  order_id     text PRIMARY KEY,
  product_id   text NOT NULL,
  -- The user as whom the sale counts the buyer, as in orders: the deletion of an account finds its rows by it.
  user_id      text NOT NULL,
  sealed_under text NOT NULL,
  sealed       text NOT NULL,
  given_at     timestamptz NOT NULL DEFAULT now(),
  changed_at   timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX order_details_by_age ON order_details (given_at);
CREATE INDEX order_details_by_user ON order_details (user_id);
CREATE INDEX order_details_by_product ON order_details (product_id, order_id);
