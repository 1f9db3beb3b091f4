-- Finds the code in whose place a code was put. Deletes of codes need it, too: they look whether
-- another row names the code.
CREATE INDEX redemption_codes_replaced ON redemption_codes (replaced_by)
  WHERE replaced_by IS NOT NULL;
