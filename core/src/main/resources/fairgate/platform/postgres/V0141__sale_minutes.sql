-- The course of each sale, for the report after it. Every node writes the same minute.
CREATE TABLE sale_minutes (
  product_id text NOT NULL,
  minute     timestamptz NOT NULL,
  joined     bigint NOT NULL,
  admitted   bigint NOT NULL,
  missed     bigint NOT NULL,
  waiting    bigint NOT NULL,
  buyers     bigint NOT NULL,
  free       bigint NOT NULL,
  PRIMARY KEY (product_id, minute)
);
CREATE INDEX sale_minutes_by_age ON sale_minutes USING brin (minute);

-- The refusals of joins and purchases, added up over all nodes.
CREATE TABLE sale_refusals (
  product_id text NOT NULL,
  minute     timestamptz NOT NULL,
  reason     text NOT NULL,
  refused    bigint NOT NULL,
  PRIMARY KEY (product_id, minute, reason)
);
CREATE INDEX sale_refusals_by_age ON sale_refusals USING brin (minute);
