-- Draws of the orders of waiting rooms, which everybody can check. Rows stay when their room is deleted: their
-- leaves stay in the house log, too.
CREATE TABLE room_draws (
  room       text NOT NULL,
  -- The epoch of the room when its tickets were sealed.
  epoch      bigint NOT NULL,
  -- The beacon chain as drand's /info describes it; empty for quicknet.
  chain      text NOT NULL,
  -- The announcement, a leaf of the house log, and its index there.
  seal       bytea NOT NULL,
  leaf_index bigint NOT NULL,
  -- Its proof against a checkpoint that the witnesses have cosigned in time; empty while there is none.
  proof      text NOT NULL DEFAULT '',
  -- The result, a leaf of the house log.
  result     bytea,
  sealed_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (room, epoch)
);

-- The draws that nodes look at every second.
CREATE INDEX room_draws_unfinished ON room_draws (sealed_at) WHERE result IS NULL OR proof = '';

CREATE FUNCTION room_draws_go_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE'
    OR (NEW.room, NEW.epoch, NEW.chain, NEW.seal, NEW.leaf_index, NEW.sealed_at)
      <> (OLD.room, OLD.epoch, OLD.chain, OLD.seal, OLD.leaf_index, OLD.sealed_at)
    OR (OLD.proof <> '' AND NEW.proof <> OLD.proof)
    OR (OLD.result IS NOT NULL AND NEW.result IS DISTINCT FROM OLD.result) THEN
    RAISE EXCEPTION 'draws of rooms go forward only' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER room_draws_go_forward BEFORE UPDATE OR DELETE ON room_draws
  FOR EACH ROW EXECUTE FUNCTION room_draws_go_forward();
