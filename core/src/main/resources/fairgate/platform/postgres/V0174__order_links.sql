-- How often the links of an order in messages were ended; no row = never.
CREATE TABLE order_links (
  order_id text PRIMARY KEY,
  ended    int NOT NULL,
  ended_at timestamptz NOT NULL DEFAULT now()
);
