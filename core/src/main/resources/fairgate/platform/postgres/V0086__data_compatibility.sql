-- The lowest schema version whose servers may work on these data. A migration that earlier servers would misread or
-- damage raises it: UPDATE data_compatibility SET minimum = <its own number>.

CREATE TABLE data_compatibility (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  minimum  int NOT NULL
);
INSERT INTO data_compatibility (minimum) VALUES (86);
