-- Waiting rooms. Nodes hold them in memory and learn of changes by the versions.
CREATE SEQUENCE room_changes;

CREATE TABLE rooms (
  id          text PRIMARY KEY CHECK (id ~ '^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$'),
  settings    jsonb NOT NULL,
  -- Tokens of other epochs are not valid.
  epoch       bigint NOT NULL DEFAULT 1,
  -- The last epoch for which Redis was given a state. A later epoch may create one; else it was lost.
  begun_epoch bigint NOT NULL DEFAULT 0,
  version     bigint NOT NULL DEFAULT nextval('room_changes'),
  changed_at  timestamptz NOT NULL DEFAULT now(),
  changed_by  text NOT NULL
);
