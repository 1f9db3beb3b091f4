package fairgate.redeem.orders;

import java.time.Duration;

/// What a source of orders says of one number.
public sealed interface OrderAnswer {
  /// It has the order.
  record Found(KnownOrder order) implements OrderAnswer {}

  /// It says plainly that there is no such order.
  record Unknown() implements OrderAnswer {}

  /// It could not be asked, or its answer was no use. Nobody's fault who asked.
  record Unavailable(String reason, Duration retryAfter) implements OrderAnswer {}
}
