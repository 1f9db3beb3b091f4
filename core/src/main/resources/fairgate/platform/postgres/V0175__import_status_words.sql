-- The operators' own words for the status of an order in imported files.
CREATE TABLE import_status_words (
  -- The word's letters and digits in lower case.
  normal    text PRIMARY KEY,
  word      text NOT NULL,
  status    text NOT NULL CHECK (status IN ('pending', 'paid', 'cancelled', 'refunded')),
  actor     text NOT NULL,
  mapped_at timestamptz NOT NULL DEFAULT now()
);
