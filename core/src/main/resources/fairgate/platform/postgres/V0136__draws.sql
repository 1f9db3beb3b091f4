-- Draws of sales, from the announcement to the final report.
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
  CHECK ((state = 'aborted') = (abort_reason IS NOT NULL)),
  CHECK (state NOT IN ('sealed', 'drawn', 'allocating', 'ended') OR seal IS NOT NULL),
  CHECK (state NOT IN ('drawn', 'allocating', 'ended') OR result IS NOT NULL)
);
CREATE UNIQUE INDEX draws_one_of_a_sale ON draws (product_id) WHERE state NOT IN ('ended', 'aborted');

-- A draw has one set of rules, one seal, one beacon, one result and one report, and no state twice.
CREATE FUNCTION draws_go_forward() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  states text[] := ARRAY['announced', 'open', 'sealing', 'sealed', 'drawn', 'allocating', 'ended', 'aborted'];
BEGIN
  IF (NEW.id, NEW.product_id, NEW.rules, NEW.chain) <> (OLD.id, OLD.product_id, OLD.rules, OLD.chain)
    OR NEW.round < OLD.round
    OR (OLD.seal IS NOT NULL AND NEW.seal IS DISTINCT FROM OLD.seal)
    OR (OLD.beacon IS NOT NULL AND NEW.beacon IS DISTINCT FROM OLD.beacon)
    OR (OLD.result IS NOT NULL AND NEW.result IS DISTINCT FROM OLD.result)
    OR (OLD.report IS NOT NULL AND NEW.report IS DISTINCT FROM OLD.report)
    OR array_position(states, NEW.state) < array_position(states, OLD.state)
    OR (OLD.state = 'ended' AND NEW.state <> 'ended') THEN
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
