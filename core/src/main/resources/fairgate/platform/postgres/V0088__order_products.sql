-- An order may have several products: each is a row of `orders`, and is redeemed once.
ALTER TABLE orders DROP CONSTRAINT orders_pkey;
ALTER TABLE orders ADD CONSTRAINT orders_pkey PRIMARY KEY (platform, order_id, product_id);
ALTER TABLE order_redemptions DROP CONSTRAINT order_redemptions_once;
ALTER TABLE order_redemptions
  ADD CONSTRAINT order_redemptions_once UNIQUE (platform, order_id, product_id);
DROP INDEX redemption_codes_waiting;
-- A seller binds at most one waiting code to a product of an order.
CREATE UNIQUE INDEX redemption_codes_waiting ON redemption_codes (platform, order_id, product_id)
  WHERE state = 'available';

-- A number typed in another case; numbers without capitals are found by the primary key.
CREATE INDEX orders_by_any_case ON orders (lower(order_id))
  WHERE platform <> 'fairgate' AND order_id <> lower(order_id);

-- The product that the import gave the order, where it was another one before.
ALTER TABLE order_import_changes ADD COLUMN became text;
UPDATE order_import_changes c SET became = coalesce(
  (SELECT o.product_id FROM orders o
   WHERE o.platform = c.platform AND o.order_id = c.order_id
     AND o.import_hash = c.import_id || '.' || c.run),
  c.product_id);
ALTER TABLE order_import_changes ALTER COLUMN became SET NOT NULL;
ALTER TABLE order_import_changes DROP CONSTRAINT order_import_changes_pkey;
ALTER TABLE order_import_changes
  ADD CONSTRAINT order_import_changes_pkey PRIMARY KEY (import_id, platform, order_id, became, run);

TRUNCATE order_import_rehearsals;
ALTER TABLE order_import_rehearsals DROP CONSTRAINT order_import_rehearsals_pkey;
ALTER TABLE order_import_rehearsals ADD COLUMN product_id text NOT NULL;
ALTER TABLE order_import_rehearsals
  ADD CONSTRAINT order_import_rehearsals_pkey PRIMARY KEY (import_id, platform, order_id, product_id);

-- Earlier servers write orders by (platform, order_id), which is no key any more.
UPDATE data_compatibility SET minimum = 88;
