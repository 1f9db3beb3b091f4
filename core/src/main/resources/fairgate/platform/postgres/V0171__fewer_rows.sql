-- What became of a decision: appeals, and orders of the same device in the sale after it. Orders had been copied
-- to risk_outcomes every ten seconds.
CREATE VIEW decision_outcomes AS
  SELECT decision, kind FROM risk_outcomes
  UNION
  SELECT d.id, k.kind
  FROM risk_decisions d
  JOIN orders o ON o.platform = 'fairgate' AND o.product_id = d.sale
    AND o.created_at >= d.at - interval '10 seconds'
    AND ((o.user_id = d.device AND o.device = d.device)
      OR (o.device = d.device AND o.device <> o.user_id))
  CROSS JOIN LATERAL (VALUES ('paid', o.paid_at IS NOT NULL), ('unpaid', o.status = 'expired'),
    ('cancelled', o.status = 'cancelled'), ('refunded', o.status = 'refunded')) AS k (kind, holds)
  WHERE d.route IN ('join', 'purchase') AND k.holds;
DROP INDEX order_events_recorded;

-- Each stored order was an entry in eight indexes of orders; now it is in six.
-- orders_by_user has the same buyers.
DROP INDEX orders_by_buyer;
-- Paid orders are many, so the newest ones are found through orders_newest.
DROP INDEX orders_by_status;
CREATE INDEX orders_by_status ON orders (status, created_at DESC, order_id DESC)
  WHERE platform = 'fairgate' AND status <> 'paid';
-- A guest is counted by the device, so orders_by_user finds the orders of both.
DROP INDEX orders_by_device;
CREATE INDEX orders_by_device ON orders (device, created_at DESC, order_id DESC)
  WHERE platform = 'fairgate' AND device <> user_id;
