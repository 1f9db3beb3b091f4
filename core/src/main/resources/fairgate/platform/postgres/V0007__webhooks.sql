-- Order events that are told to an address outside.
CREATE TABLE webhook_deliveries (
  -- The event's own number, so that none is listed twice.
  id          text PRIMARY KEY,
  type        text NOT NULL,
  body        text NOT NULL,
  state       text NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'done', 'failed')),
  tries       int NOT NULL DEFAULT 0,
  next_try_at timestamptz NOT NULL DEFAULT now(),
  answer      text,
  created_at  timestamptz NOT NULL DEFAULT now(),
  ended_at    timestamptz,
  CHECK ((state = 'due') = (ended_at IS NULL))
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_try_at) WHERE state = 'due';
CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (ended_at) WHERE state <> 'due';
