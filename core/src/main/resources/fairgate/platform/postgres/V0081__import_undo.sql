-- Imports tell what they do to codes, know how old their file is, and can be undone.
ALTER TABLE order_imports
  -- Codes that were withdrawn, given back, and left in use though their order is refunded.
  ADD COLUMN codes_revoked  bigint NOT NULL DEFAULT 0,
  ADD COLUMN codes_restored bigint NOT NULL DEFAULT 0,
  ADD COLUMN codes_in_use   bigint NOT NULL DEFAULT 0,
  -- Up to when the file knows of orders; none = it has no times.
  ADD COLUMN as_of          timestamptz,
  -- When it last changed an order that was known before, also by being undone.
  ADD COLUMN changed_at     timestamptz,
  ADD COLUMN undone_at      timestamptz,
  ADD COLUMN undone_by      text;
UPDATE order_imports SET changed_at = updated_at WHERE updated > 0 AND NOT dry_run;

-- Orders as they were before an import changed them; those it added have no row.
CREATE TABLE order_import_changes (
  import_id   text NOT NULL REFERENCES order_imports (id) ON DELETE CASCADE,
  platform    text NOT NULL,
  order_id    text NOT NULL,
  run         int NOT NULL,
  product_id  text NOT NULL,
  amount      bigint,
  currency    text,
  status      text NOT NULL,
  paid_at     timestamptz,
  expires_at  timestamptz,
  import_hash text,
  version     int NOT NULL,
  PRIMARY KEY (import_id, platform, order_id, run)
);
