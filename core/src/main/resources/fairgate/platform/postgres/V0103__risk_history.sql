-- Finds the outcomes of decisions, and the earlier orders of a buyer.
CREATE INDEX risk_decisions_by_device ON risk_decisions (sale, device) WHERE device IS NOT NULL;
CREATE INDEX order_events_recorded ON order_events USING brin (recorded_at);
-- Guests, whose names have 22 characters, have no earlier orders.
CREATE INDEX orders_by_buyer ON orders (user_id, created_at) WHERE length(user_id) > 22;
