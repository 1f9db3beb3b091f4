-- A room that is created again is another room: its epochs go on, and its state in Redis begins anew.
ALTER TABLE rooms
  -- Taken from the versions, which never repeat.
  ALTER COLUMN epoch SET DEFAULT nextval('room_changes'),
  -- The epoch at the creation. A state in Redis of an earlier epoch is one of a deleted room.
  ADD COLUMN first_epoch bigint NOT NULL DEFAULT 1,
  -- Whether visitors may have been admitted; then the order before an opening is not drawn any more.
  ADD COLUMN opened boolean NOT NULL DEFAULT false;

UPDATE rooms SET opened = true
WHERE settings ->> 'mode' = 'standby' OR coalesce((settings ->> 'opens_at')::timestamptz <= now(), true);

-- Deleted rooms whose keys may still be in Redis.
CREATE TABLE deleted_rooms (
  id         text PRIMARY KEY,
  -- The last epoch of the room.
  epoch      bigint NOT NULL,
  deleted_at timestamptz NOT NULL DEFAULT now()
);
