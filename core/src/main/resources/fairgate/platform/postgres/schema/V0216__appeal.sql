-- Appeals of people against refusals, bans and demotions. Names of people are keyed hashes; the
-- letter is encrypted.
CREATE TABLE appeals (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Keyed hash of the decision; of a ban and the person, because a ban refuses many requests.
  matter       text NOT NULL UNIQUE,
  -- Keyed hash of code, sale and person: one open appeal each.
  open_key     text NOT NULL,
  decision     text NOT NULL CHECK (length(decision) <= 200),
  code         text NOT NULL CHECK (length(code) <= 40),
  -- The rules that led to the decision, the strongest first, and their version.
  rules        text[] NOT NULL,
  rule_version text NOT NULL,
  -- None when the refused request named no sale.
  product_id   text,
  ban_id       bigint,
  -- The id of the decision where it is stored, such as that of the risk engine.
  ref          text,
  refused_at   timestamptz NOT NULL,
  filed_at     timestamptz NOT NULL,
  device       text,
  account      text,
  -- Keyed hash of the network around the address.
  network      text NOT NULL,
  -- Whether the appeal came from the refused browser and address; none when unknown.
  same_browser boolean,
  same_network boolean,
  -- Text, contact and address, encrypted; removed after a time.
  sealed_under text,
  sealed       text,
  code_hash    text NOT NULL,
  -- closed: the appeal of somebody else, when that of the refused person was granted.
  state        text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'granted', 'refused', 'closed')),
  on_sale      boolean NOT NULL,
  due_at       timestamptz NOT NULL,
  grade        text,
  reason       text,
  answer       text,
  reviewer     text,
  decided_at   timestamptz,
  CHECK ((state = 'open') = (decided_at IS NULL))
);
CREATE UNIQUE INDEX appeals_one_open ON appeals (open_key) WHERE state = 'open';
CREATE INDEX appeals_queue ON appeals (due_at, id) WHERE state = 'open';
CREATE INDEX appeals_by_product ON appeals (product_id);
CREATE INDEX appeals_of_decision ON appeals (decision);
CREATE INDEX appeals_by_time ON appeals (decided_at);
CREATE INDEX appeals_by_ref ON appeals (ref) WHERE ref IS NOT NULL;

-- How many decisions against people each sale has made, for its public table.
CREATE TABLE sale_decisions (
  product_id text NOT NULL,
  code       text NOT NULL,
  decisions  bigint NOT NULL,
  PRIMARY KEY (product_id, code)
);
