package fairgate.redeem.orders;

import java.time.Duration;

/// What a source of orders says of one number.
public sealed interface OrderLookup {
  /// It has the order.
  record Found(KnownOrder order) implements OrderLookup {}

  /// It says plainly that there is no such order.
  record Unknown() implements OrderLookup {}

  /// It could not be asked, or its answer was no use. Nobody's fault who asked.
  record Unavailable(String reason, Duration retryAfter) implements OrderLookup {}
}
