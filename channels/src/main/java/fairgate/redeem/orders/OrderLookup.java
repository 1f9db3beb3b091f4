package fairgate.redeem.orders;

import java.time.Duration;

/// The result of looking up an order number in a source of orders.
public sealed interface OrderLookup {
  /// The source has the order.
  record Found(KnownOrder order) implements OrderLookup {}

  /// The source has no such order.
  record Unknown() implements OrderLookup {}

  /// The source works, but what it said about this order cannot be used. This never counts against
  /// the caller, nor against the source: other orders are looked up as before.
  record Unreadable(String reason) implements OrderLookup {}

  /// The source did not respond, or its response was none of its own. This never counts against the
  /// caller.
  record Unavailable(String reason, Duration retryAfter) implements OrderLookup {}
}
