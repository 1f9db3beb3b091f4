-- Which parameters of the short address are added to the target.
ALTER TABLE short_links
  ADD COLUMN forward_query text NOT NULL DEFAULT 'utm'
    CHECK (forward_query IN ('none', 'utm', 'all')),
  -- In ASCII; people write at most 2,048 characters.
  DROP CONSTRAINT short_links_url_check,
  ADD CONSTRAINT short_links_url_check CHECK (length(url) BETWEEN 10 AND 8000);
