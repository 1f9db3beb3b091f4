-- Waiting rooms in front of any site.

-- Nodes hold the rooms in memory and learn of changes by the versions.
CREATE SEQUENCE room_changes;

CREATE TABLE rooms (
  id          text PRIMARY KEY CHECK (id ~ '^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$'),
  settings    jsonb NOT NULL,
  -- Tokens of other epochs are not valid. Taken from the versions, which never repeat: a room that is created again is
  -- another room.
  epoch       bigint NOT NULL DEFAULT nextval('room_changes'),
  -- The last epoch for which Redis was given a state. A later epoch may create one; else it was lost.
  begun_epoch bigint NOT NULL DEFAULT 0,
  version     bigint NOT NULL DEFAULT nextval('room_changes'),
  changed_at  timestamptz NOT NULL DEFAULT now(),
  changed_by  text NOT NULL,
  -- The epoch at the creation. A state in Redis of an earlier epoch is one of a deleted room.
  first_epoch bigint NOT NULL DEFAULT 1,
  -- Whether visitors may have been admitted; then the order before an opening is not drawn any more.
  opened      boolean NOT NULL DEFAULT false
);

-- Deleted rooms, remembered for a while: their keys may still be in Redis, and their page still leads to the shop.
CREATE TABLE deleted_rooms (
  id         text PRIMARY KEY,
  -- The last epoch of the room.
  epoch      bigint NOT NULL,
  deleted_at timestamptz NOT NULL DEFAULT now(),
  -- Empty for none.
  return_url text NOT NULL DEFAULT '',
  -- Whether Redis has nothing of the room any more.
  cleared    boolean NOT NULL DEFAULT false
);

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
