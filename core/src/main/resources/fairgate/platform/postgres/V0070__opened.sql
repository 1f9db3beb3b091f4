-- Whether a sale has been opened: what a pause of a sale without opens_at goes back to when it ends.
ALTER TABLE products ADD COLUMN opened boolean NOT NULL DEFAULT false;
UPDATE products p SET opened = true
WHERE p.state = 'open' OR (p.state = 'paused' AND EXISTS (
  SELECT 1 FROM stock_batches b WHERE b.product_id = p.id AND b.released_at IS NOT NULL));
