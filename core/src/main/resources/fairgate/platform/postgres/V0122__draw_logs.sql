-- Append-only logs of draws: the house log, and an entries tree for each draw.
CREATE TABLE draw_logs (
  origin          text PRIMARY KEY,
  size            bigint NOT NULL DEFAULT 0 CHECK (size >= 0),
  -- Roots of the complete subtrees, the largest first, 32 bytes each.
  subtrees        bytea NOT NULL DEFAULT '',
  -- The latest signed checkpoint, and its size.
  checkpoint      text NOT NULL DEFAULT '',
  checkpoint_size bigint NOT NULL DEFAULT -1 CHECK (checkpoint_size <= size)
);

CREATE FUNCTION draw_logs_only_grow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.origin <> OLD.origin OR NEW.size < OLD.size OR NEW.checkpoint_size < OLD.checkpoint_size THEN
    RAISE EXCEPTION 'logs only grow' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER draw_logs_only_grow BEFORE UPDATE ON draw_logs
  FOR EACH ROW EXECUTE FUNCTION draw_logs_only_grow();

-- A leaf stands in a log once: a repeat after a lost answer finds the first.
CREATE TABLE draw_leaves (
  origin text NOT NULL REFERENCES draw_logs,
  index  bigint NOT NULL CHECK (index >= 0),
  hash   bytea NOT NULL CHECK (length(hash) = 32),
  data   bytea NOT NULL CHECK (length(data) <= 65535),
  PRIMARY KEY (origin, index),
  UNIQUE (origin, hash)
);
CREATE TRIGGER draw_leaves_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON draw_leaves
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Hashes of tiles above level 0.
CREATE TABLE draw_nodes (
  origin text NOT NULL REFERENCES draw_logs,
  level  int NOT NULL CHECK (level > 0),
  index  bigint NOT NULL CHECK (index >= 0),
  hash   bytea NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (origin, level, index)
);
CREATE TRIGGER draw_nodes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON draw_nodes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
