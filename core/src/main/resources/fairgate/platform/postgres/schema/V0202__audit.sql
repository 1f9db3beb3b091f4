-- The audit log, chained: each row's hash covers the row before it, a day's first row the last one of the day before.
-- A writer holds one advisory lock while it appends, so there is one chain for all nodes.

CREATE TABLE audit_days (
  day     date PRIMARY KEY,
  -- Which signing key the day's hashes are made with.
  key_id  text NOT NULL,
  events  bigint NOT NULL DEFAULT 0,
  -- The hash the day begins with, and the one it ends with so far; hexadecimal.
  first   text NOT NULL,
  head    text NOT NULL,
  -- Kinds whose contents are past their time and gone.
  erased  text[] NOT NULL DEFAULT '{}',
  -- Whether all its rows are past their time and gone.
  dropped boolean NOT NULL DEFAULT false
);

-- The day is written in the same transaction. A foreign key would look it up for each row, which was two thirds of
-- the cost of an event; `audit verify` finds rows whose day is missing.
CREATE TABLE audit_log (
  day     date NOT NULL,
  seq     bigint NOT NULL,
  at      timestamptz NOT NULL,
  kind    text NOT NULL,
  -- JSON, exactly as it was hashed; none once its kind's time has passed.
  content text,
  -- SHA-256 of a content that is gone, hexadecimal.
  digest  text,
  hash    text NOT NULL,
  -- A row may have several events of one kind, one line each, numbered from the row's number on.
  events  int NOT NULL DEFAULT 1 CHECK (events > 0),
  PRIMARY KEY (day, seq),
  CHECK ((content IS NULL) = (digest IS NOT NULL))
);

-- The operators' acts on an order. Its purchase is found by its time.
CREATE INDEX audit_log_by_order ON audit_log (substring(content from '"order":"([^"]+)"'), day, seq)
  WHERE kind = 'admin' AND content IS NOT NULL;

-- Rows are never changed. A content may make way for its digest, and a whole day may be deleted when the server names
-- it in `fairgate.audit_drop`.
CREATE FUNCTION audit_log_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.content IS NOT NULL AND NEW.content IS NULL
    AND NEW.digest = encode(sha256(convert_to(OLD.content, 'UTF8')), 'hex')
    AND (NEW.day, NEW.seq, NEW.at, NEW.kind, NEW.hash, NEW.events)
      = (OLD.day, OLD.seq, OLD.at, OLD.kind, OLD.hash, OLD.events)
  THEN
    RETURN NEW;
  END IF;
  IF TG_OP = 'DELETE' AND current_setting('fairgate.audit_drop', true) = OLD.day::text THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'audit_log is append-only' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION audit_log_append_only();
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The last batch of each writer that was taken in: a batch that is sent twice counts once.
CREATE TABLE audit_writers (
  writer  text PRIMARY KEY,
  batch   bigint NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now()
);
