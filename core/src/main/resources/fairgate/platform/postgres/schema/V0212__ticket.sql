-- Tickets of paid orders, one for each unit. They are made when the buyer opens their page.
CREATE TABLE tickets (
  order_id      text NOT NULL,
  product_id    text NOT NULL REFERENCES products (id),
  -- 1 for the first unit of the order.
  place         int NOT NULL CHECK (place > 0),
  -- 60 random bits, in the QR code and readable by people. Another one after a transfer.
  id            text NOT NULL UNIQUE,
  -- The id before the transfer: it admits nobody any more.
  former_id     text UNIQUE,
  -- How often the ticket was offered to somebody; part of the links that are given to them.
  offers        int NOT NULL DEFAULT 0,
  -- The id in the link of the latest offer: whoever sees the link must not learn the ticket's id.
  offer_id      text UNIQUE,
  offered       boolean NOT NULL DEFAULT false,
  -- The name of the person to whom it is offered or was transferred, encrypted.
  holder_under  text,
  holder        text,
  -- Keyed hash of the browser that took it over, so that this browser finds it again.
  taker         text,
  transferred_at timestamptz,
  used_at       timestamptz,
  used_by       text,
  -- The id that the scanning device gave to the scan, so that a repeat gets the same answer.
  used_scan     text,
  created_at    timestamptz NOT NULL DEFAULT now(),
  changed_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (order_id, place),
  CHECK ((holder IS NULL) = (holder_under IS NULL)),
  CHECK ((transferred_at IS NULL) = (former_id IS NULL)),
  CHECK (NOT (offered AND transferred_at IS NOT NULL)),
  CHECK ((used_at IS NULL) = (used_scan IS NULL) AND (used_at IS NULL) = (used_by IS NULL))
);
CREATE INDEX tickets_of_a_sale ON tickets (product_id, id);
CREATE INDEX tickets_by_age ON tickets (changed_at);

-- A ticket is checked in once and transferred once, whatever the statement says.
CREATE FUNCTION tickets_go_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.used_at IS NOT NULL
     AND (NEW.used_at, NEW.used_by, NEW.used_scan, NEW.id) IS DISTINCT FROM
         (OLD.used_at, OLD.used_by, OLD.used_scan, OLD.id) THEN
    RAISE EXCEPTION 'ticket % of order % is checked in', OLD.place, OLD.order_id;
  END IF;
  IF OLD.transferred_at IS NOT NULL
     AND (NEW.transferred_at, NEW.id, NEW.former_id) IS DISTINCT FROM
         (OLD.transferred_at, OLD.id, OLD.former_id) THEN
    RAISE EXCEPTION 'ticket % of order % is transferred', OLD.place, OLD.order_id;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER tickets_go_forward BEFORE UPDATE ON tickets FOR EACH ROW EXECUTE FUNCTION tickets_go_forward();
