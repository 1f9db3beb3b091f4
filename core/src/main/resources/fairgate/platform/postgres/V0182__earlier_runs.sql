-- The reports of the earlier runs of an import, the oldest first: the first one and the latest.
ALTER TABLE order_imports ADD COLUMN earlier jsonb NOT NULL DEFAULT '[]';
