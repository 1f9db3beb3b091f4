-- An operator extended the payment deadline of an order.

ALTER TABLE order_events DROP CONSTRAINT order_events_kind_check;
ALTER TABLE order_events ADD CONSTRAINT order_events_kind_check
  CHECK (kind IN ('reserved', 'extended', 'confirmed', 'released', 'refund_due', 'refunded', 'stock')) NOT VALID;
