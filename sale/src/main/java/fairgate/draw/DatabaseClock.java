package fairgate.draw;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;

/// The time of PostgreSQL, by which all nodes judge the windows of draws: the node's own clock,
/// plus the difference that was measured last.
final class DatabaseClock extends Clock {
  private final Clock node;
  private volatile long ahead;

  DatabaseClock(Clock node) {
    this.node = node;
  }

  /// Measures the difference.
  ///
  /// @param databaseMillis the time of PostgreSQL, a moment ago
  void measure(long databaseMillis) {
    ahead = databaseMillis - node.millis();
  }

  @Override
  public long millis() {
    return node.millis() + ahead;
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  @Override
  public ZoneId getZone() {
    return node.getZone();
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException("draws use no zone of the clock");
  }
}
