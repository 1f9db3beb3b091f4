-- Messages about orders: receipts to buyers, webhooks to other systems.

-- Receipts that are due or were handed to the message service: each event of an order once.
CREATE TABLE receipts (
  id          text PRIMARY KEY,
  order_id    text NOT NULL,
  -- offered: a place on the waiting list got units.
  event       text NOT NULL CHECK (event IN ('paid', 'refunded', 'offered')),
  session_id  text NOT NULL,
  user_id     text NOT NULL,
  quantity    int NOT NULL,
  amount      bigint NOT NULL,
  currency    text NOT NULL,
  state       text NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'sent', 'no_contact', 'failed')),
  channel     text CHECK (channel IN ('email', 'line')),
  -- How often it was requested: 1, and one more each time it is sent again.
  rounds      int NOT NULL DEFAULT 1,
  created_at  timestamptz NOT NULL DEFAULT now(),
  -- When it was requested the last time.
  due_at      timestamptz NOT NULL DEFAULT now(),
  next_try_at timestamptz NOT NULL DEFAULT now(),
  ended_at    timestamptz
);
CREATE INDEX receipts_due ON receipts (next_try_at) WHERE state = 'due';
CREATE INDEX receipts_by_order ON receipts (order_id);
CREATE INDEX receipts_by_age ON receipts (created_at);

-- The address for the receipts of an order, encrypted under this master key.
CREATE TABLE order_contacts (
  order_id     text PRIMARY KEY,
  channel      text NOT NULL CHECK (channel IN ('email', 'line')),
  sealed_under text NOT NULL,
  sealed       text NOT NULL,
  -- How often the buyer gave an address.
  changes      int NOT NULL DEFAULT 0,
  created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX order_contacts_by_age ON order_contacts (created_at);

-- Order events for the webhook of another system.
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
-- The list of messages for operators.
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (created_at DESC, id DESC);
