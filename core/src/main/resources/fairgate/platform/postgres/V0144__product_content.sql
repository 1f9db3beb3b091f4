-- What buyers read about a product: names and descriptions by language, venue, start, seller, terms, images.
-- NULL = nothing, as of all products made before.
ALTER TABLE products ADD COLUMN content jsonb;
