-- Files of orders that sellers handed in, and how far each has come.
CREATE TABLE order_imports (
  -- Made of the file's bytes and the options: the same file with the same options is the same import.
  id          text PRIMARY KEY,
  file_name   text NOT NULL,
  dry_run     boolean NOT NULL,
  encoding    text NOT NULL,
  header      jsonb NOT NULL,
  state       text NOT NULL CHECK (state IN ('running', 'done', 'failed')),
  -- How often it was begun at the first row; `orders.import_hash` is id and run.
  run         int NOT NULL DEFAULT 1,
  -- Who is at it; a runner that finds another's name here stops.
  runner      text NOT NULL,
  rows_total  bigint NOT NULL,
  -- Committed together with the rows: what stands here is done, what does not is not.
  rows_done   bigint NOT NULL DEFAULT 0,
  added       bigint NOT NULL DEFAULT 0,
  updated     bigint NOT NULL DEFAULT 0,
  unchanged   bigint NOT NULL DEFAULT 0,
  duplicates  bigint NOT NULL DEFAULT 0,
  refused     bigint NOT NULL DEFAULT 0,
  blank       bigint NOT NULL DEFAULT 0,
  actor       text NOT NULL,
  started_at  timestamptz NOT NULL DEFAULT now(),
  updated_at  timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz
);
CREATE INDEX order_imports_by_time ON order_imports (started_at);

-- Rows that were refused, as they stand in the file.
CREATE TABLE order_import_errors (
  import_id text NOT NULL REFERENCES order_imports (id) ON DELETE CASCADE,
  row_no    bigint NOT NULL,
  problem   text NOT NULL,
  -- {"arguments": [...], "cells": [...]}
  detail    jsonb NOT NULL,
  PRIMARY KEY (import_id, row_no)
);

-- What a dry run has seen so far, to find duplicates; emptied when it ends.
CREATE UNLOGGED TABLE order_import_rehearsals (
  import_id text NOT NULL,
  platform  text NOT NULL,
  order_id  text NOT NULL,
  content   text NOT NULL,
  PRIMARY KEY (import_id, platform, order_id)
);

-- Who took codes out, masked or in full.
CREATE TABLE code_exports (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  actor       text NOT NULL,
  masked      boolean NOT NULL,
  reason      text NOT NULL,
  filter      text NOT NULL,
  begun_at    timestamptz NOT NULL DEFAULT now(),
  -- None while it runs, and of one that broke off.
  finished_at timestamptz,
  codes       bigint
);
