package fairgate.sale;

import fairgate.catalog.SaleKeys;
import java.time.Duration;

/// The settings of sales on this node.
///
/// @param keyStyle format of Redis keys
/// @param idempotencyLife how long the first reply to an idempotency key is kept: at least a day,
///   and never shorter than the longest payment window and three days of late callbacks
/// @param tick interval of checks for due batches, openings and changes of the catalog
public record SaleConfig(SaleKeys.Style keyStyle, Duration idempotencyLife, Duration tick) {
  /// The defaults: a single Redis, eleven days (a payment window is at most seven), ten ticks a
  /// second.
  public static SaleConfig defaults() {
    return new SaleConfig(SaleKeys.Style.PLAIN, Duration.ofDays(11), Duration.ofMillis(100));
  }

  /// Returns these settings with another style of key names.
  public SaleConfig with(SaleKeys.Style style) {
    return new SaleConfig(style, idempotencyLife, tick);
  }
}
