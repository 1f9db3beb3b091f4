package fairgate.queue;

import fairgate.catalog.SaleKeys;
import java.time.Duration;

/// Settings of the queue on this node.
///
/// @param pass interval between passes
/// @param keyStyle style of the Redis key names
public record QueueConfig(Duration pass, SaleKeys.Style keyStyle) {
  /// The defaults: ten passes a second, a single Redis.
  public static QueueConfig defaults() {
    return new QueueConfig(Duration.ofMillis(100), SaleKeys.Style.PLAIN);
  }

  /// Returns these settings with another style of key names.
  public QueueConfig with(SaleKeys.Style style) {
    return new QueueConfig(pass, style);
  }
}
