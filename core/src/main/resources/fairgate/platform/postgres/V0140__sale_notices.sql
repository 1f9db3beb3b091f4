-- What operators tell everybody who waits for a sale: texts by language.
CREATE TABLE sale_notices (
  product_id text PRIMARY KEY REFERENCES products (id) ON DELETE CASCADE,
  texts      jsonb NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now()
);
