package fairgate.queue;

import fairgate.catalog.SaleKeys;
import java.time.Duration;

/// How the queue runs on this node.
///
/// @param sessionLife how long a place is remembered
/// @param pass how often people are moved forward
/// @param keyStyle how Redis keys are written
public record QueueConfig(Duration sessionLife, Duration pass, SaleKeys.Style keyStyle) {
  /// A day, ten passes a second, one Redis.
  public static QueueConfig defaults() {
    return new QueueConfig(Duration.ofHours(24), Duration.ofMillis(100), SaleKeys.Style.PLAIN);
  }

  /// The same with other names of keys.
  public QueueConfig with(SaleKeys.Style style) {
    return new QueueConfig(sessionLife, pass, style);
  }
}
