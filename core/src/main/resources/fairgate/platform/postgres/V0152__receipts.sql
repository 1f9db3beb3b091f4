-- Receipts that are due or were handed to the message service: each event of an order once.
CREATE TABLE receipts (
  id          text PRIMARY KEY,
  order_id    text NOT NULL,
  event       text NOT NULL CHECK (event IN ('paid', 'refunded')),
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

-- The verified e-mail address of an account with its language, encrypted, for receipts. Addresses verified before
-- have none until they are verified again.
ALTER TABLE account_identities ADD COLUMN sealed_under text;
ALTER TABLE account_identities ADD COLUMN sealed text;
ALTER TABLE account_identities ADD CONSTRAINT account_identities_sealed_email
  CHECK (sealed IS NULL OR (kind = 'email' AND sealed_under IS NOT NULL));

-- When a message was written; an e-mail shows it.
ALTER TABLE code_messages ADD COLUMN created_at timestamptz NOT NULL DEFAULT now();
