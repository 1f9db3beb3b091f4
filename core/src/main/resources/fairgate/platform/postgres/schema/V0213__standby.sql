-- The waiting list: people who want units of a sold-out sale, in the order of their registration.
CREATE TABLE standby_entries (
  id         text PRIMARY KEY,
  place      bigint GENERATED ALWAYS AS IDENTITY,
  product_id text NOT NULL REFERENCES products (id),
  -- The hash of the browser in this sale, and the user as whom the sale counts the person: the same for guests.
  device     text NOT NULL,
  user_id    text NOT NULL,
  -- The session with which the person registered; a person who came through LINE gets messages there.
  session_id text NOT NULL,
  -- Hashes of the networks from which the person registered, from narrow to wide.
  networks   text[] NOT NULL,
  quantity   int NOT NULL CHECK (quantity > 0),
  state      text NOT NULL DEFAULT 'waiting'
             CHECK (state IN ('waiting', 'offering', 'offered', 'refused', 'withdrawn')),
  -- The session that takes the units; another one for each try.
  offer      text,
  order_id   text,
  reason     text,
  created_at timestamptz NOT NULL DEFAULT now(),
  next_at    timestamptz NOT NULL DEFAULT now(),
  ended_at   timestamptz,
  -- In the order of registration (''), behind all of these, also those who register later, or held until a review.
  -- The words sort in this order.
  seat       text NOT NULL DEFAULT '' CHECK (seat IN ('', 'behind', 'held')),
  -- The decision that seated the person.
  decision   text,
  CHECK ((state = 'offered') = (order_id IS NOT NULL)),
  CHECK (state <> 'offering' OR offer IS NOT NULL),
  CHECK (seat = '' OR decision IS NOT NULL)
);
CREATE UNIQUE INDEX standby_one_of_a_user ON standby_entries (product_id, user_id)
  WHERE state IN ('waiting', 'offering');
CREATE UNIQUE INDEX standby_one_of_a_browser ON standby_entries (product_id, device)
  WHERE state IN ('waiting', 'offering');
-- One offer of a sale at a time, so that units are offered in order.
CREATE UNIQUE INDEX standby_one_offer ON standby_entries (product_id) WHERE state = 'offering';
CREATE INDEX standby_in_order ON standby_entries (product_id, place);
CREATE INDEX standby_live ON standby_entries (product_id) WHERE state IN ('waiting', 'offering');
CREATE INDEX standby_by_age ON standby_entries (ended_at);
CREATE INDEX standby_by_decision ON standby_entries (decision) WHERE decision IS NOT NULL;
