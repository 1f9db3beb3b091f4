-- Draws: their public logs, and each draw from the announcement to the final report.

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

-- Cosignatures of witnesses on checkpoints of a log, each with the time in it. Of a checkpoint and a witness, the
-- first one counts.
CREATE TABLE draw_cosignatures (
  origin     text NOT NULL REFERENCES draw_logs (origin),
  size       bigint NOT NULL CHECK (size > 0),
  -- The witness's verifier key.
  witness    text NOT NULL,
  -- The checkpoint with the signature of the log.
  checkpoint text NOT NULL,
  -- The signature line of the witness.
  line       text NOT NULL,
  seconds    bigint NOT NULL,
  PRIMARY KEY (origin, size, witness)
);
CREATE INDEX draw_cosignatures_latest ON draw_cosignatures (origin, witness, size);

CREATE SEQUENCE draw_changes;

CREATE TABLE draws (
  id           text PRIMARY KEY CHECK (id ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  product_id   text NOT NULL REFERENCES products (id),
  -- Canonical JSON. They never change: other rules are another draw.
  rules        text NOT NULL,
  -- The beacon chain as drand's /info describes it; empty for quicknet.
  chain        text NOT NULL,
  state        text NOT NULL DEFAULT 'announced'
               CHECK (state IN ('announced', 'open', 'sealing', 'sealed', 'drawn', 'allocating', 'ended', 'aborted')),
  -- The beacon round that decides: that of the rules, or a fallback round after it was given up.
  round        bigint NOT NULL,
  -- The .tlog-proof files of the rules leaf and of the seal leaf; empty until a quorum has cosigned.
  rules_proof  text NOT NULL DEFAULT '',
  seal_proof   text NOT NULL DEFAULT '',
  -- The data of the leaves, once they are decided.
  seal         bytea,
  beacon       bytea,
  result       bytea,
  report       bytea,
  -- The lines of the allotments, from state `ended`.
  allotments   text NOT NULL DEFAULT '',
  abort_reason text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  created_by   text NOT NULL,
  version      bigint NOT NULL DEFAULT nextval('draw_changes'),
  -- The chain of the second beacon, which decides when the rounds of the first one were all given up; empty for none.
  second_chain text NOT NULL DEFAULT '',
  is_second    boolean NOT NULL DEFAULT false,
  CHECK ((state = 'aborted') = (abort_reason IS NOT NULL)),
  CHECK (state NOT IN ('sealed', 'drawn', 'allocating', 'ended') OR seal IS NOT NULL),
  CHECK (state NOT IN ('drawn', 'allocating', 'ended') OR result IS NOT NULL),
  CHECK (NOT is_second OR second_chain <> '')
);
CREATE UNIQUE INDEX draws_one_of_a_sale ON draws (product_id) WHERE state NOT IN ('ended', 'aborted');

-- A draw has one set of rules, one seal, one beacon, one result and one report, and no state twice. A draw that has a
-- result is not aborted: it could be thrown again until somebody likes the result.
CREATE FUNCTION draws_go_forward() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  states text[] := ARRAY['announced', 'open', 'sealing', 'sealed', 'drawn', 'allocating', 'ended', 'aborted'];
BEGIN
  IF (NEW.id, NEW.product_id, NEW.rules, NEW.chain, NEW.second_chain)
      <> (OLD.id, OLD.product_id, OLD.rules, OLD.chain, OLD.second_chain)
    OR NEW.round < OLD.round
    OR (OLD.is_second AND (NOT NEW.is_second OR NEW.round <> OLD.round))
    OR (OLD.seal IS NOT NULL AND NEW.seal IS DISTINCT FROM OLD.seal)
    OR (OLD.beacon IS NOT NULL AND NEW.beacon IS DISTINCT FROM OLD.beacon)
    OR (OLD.result IS NOT NULL AND NEW.result IS DISTINCT FROM OLD.result)
    OR (OLD.report IS NOT NULL AND NEW.report IS DISTINCT FROM OLD.report)
    OR array_position(states, NEW.state) < array_position(states, OLD.state)
    OR (OLD.state = 'ended' AND NEW.state <> 'ended')
    OR (OLD.result IS NOT NULL AND OLD.state <> 'aborted' AND NEW.state = 'aborted') THEN
    RAISE EXCEPTION 'draws go forward only' USING ERRCODE = 'restrict_violation';
  END IF;
  NEW.version := nextval('draw_changes');
  RETURN NEW;
END $$;
CREATE TRIGGER draws_go_forward BEFORE UPDATE ON draws FOR EACH ROW EXECUTE FUNCTION draws_go_forward();

-- The node that moves a draw. Steps are idempotent, so two nodes after a stall do no harm.
CREATE TABLE draw_leases (
  draw     text PRIMARY KEY REFERENCES draws (id),
  node     text NOT NULL,
  ends_at  timestamptz NOT NULL
);

-- Entries, written in one transaction with their leaves in the entries tree.
CREATE TABLE draw_entries (
  draw       text NOT NULL REFERENCES draws (id),
  index      bigint NOT NULL,
  session    uuid NOT NULL UNIQUE,
  -- Equal for entries of the same person.
  uniq       bytea NOT NULL CHECK (length(uniq) = 16),
  leaf       bytea NOT NULL CHECK (length(leaf) = 32),
  quantity   int NOT NULL CHECK (quantity > 0),
  -- As in the sale: the hash of the device, and the user as whom the sale counts the entrant.
  device     text NOT NULL,
  entrant    text,
  entered_at timestamptz NOT NULL,
  PRIMARY KEY (draw, index),
  UNIQUE (draw, uniq)
);

-- Entries that take no part: withdrawn by their owners, or excluded by an operator before the seal.
CREATE TABLE draw_absences (
  draw   text NOT NULL,
  index  bigint NOT NULL,
  kind   text NOT NULL CHECK (kind IN ('withdrawn', 'excluded')),
  reason text NOT NULL CHECK (reason ~ '^[a-z][a-z0-9_]{0,31}$'),
  actor  text NOT NULL,
  at     timestamptz NOT NULL DEFAULT now(),
  -- Whether its leaf is in the house log.
  logged boolean NOT NULL DEFAULT false,
  PRIMARY KEY (draw, index),
  FOREIGN KEY (draw, index) REFERENCES draw_entries (draw, index)
);

-- The order: 4,096 result leaves of 72 bytes in each part.
CREATE TABLE draw_result_parts (
  draw   text NOT NULL REFERENCES draws (id),
  part   int NOT NULL,
  leaves bytea NOT NULL,
  PRIMARY KEY (draw, part)
);
-- The ranks by index of the entry: 16,384 numbers of 4 bytes in each part.
CREATE TABLE draw_rank_parts (
  draw  text NOT NULL REFERENCES draws (id),
  part  int NOT NULL,
  ranks bytea NOT NULL,
  PRIMARY KEY (draw, part)
);

-- The allocation by rank, without gaps.
CREATE TABLE draw_offers (
  draw        text NOT NULL REFERENCES draws (id),
  rank        bigint NOT NULL,
  index       bigint NOT NULL,
  status      text NOT NULL CHECK (status IN ('offered', 'withdrawn', 'excluded', 'unfit')),
  quantity    int NOT NULL,
  claim_until timestamptz,
  seated      boolean NOT NULL DEFAULT false,
  -- Null while the offer is open.
  bought      int,
  passed      int,
  reason      text,
  -- Whether the leaf of its passed units is in the house log.
  logged      boolean NOT NULL DEFAULT false,
  PRIMARY KEY (draw, rank),
  UNIQUE (draw, index),
  CHECK (status = 'offered' OR (bought = 0 AND passed = 0)),
  CHECK (status <> 'offered' OR bought IS NULL OR bought + passed = quantity)
);
CREATE INDEX draw_offers_open ON draw_offers (draw, rank) WHERE bought IS NULL;
CREATE INDEX draw_offers_unlogged ON draw_offers (draw, rank) WHERE passed > 0 AND NOT logged;
