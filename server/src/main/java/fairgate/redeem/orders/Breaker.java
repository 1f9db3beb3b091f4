package fairgate.redeem.orders;

import java.time.Duration;
import java.time.InstantSource;

/// Leaves a service alone that keeps failing: after so many failures in a row nobody calls it for a
/// while, then one call goes and looks, and its success lets all through again.
final class Breaker {
  private final int limit;
  private final Duration rest;
  private final InstantSource clock;
  private int failures;
  private long closedUntil;

  Breaker(int limit, Duration rest, InstantSource clock) {
    this.limit = limit;
    this.rest = rest;
    this.clock = clock;
  }

  /// Whether a call may be made now. While the service is left alone, one call per rest may.
  synchronized boolean allows() {
    if (failures < limit) {
      return true;
    }
    if (clock.millis() < closedUntil) {
      return false;
    }
    closedUntil = clock.millis() + rest.toMillis();
    return true;
  }

  /// Notes that a call failed; true when this one made the service be left alone.
  synchronized boolean failed() {
    failures = Math.min(failures + 1, limit);
    if (failures < limit) {
      return false;
    }
    boolean first = clock.millis() >= closedUntil;
    closedUntil = clock.millis() + rest.toMillis();
    return first;
  }

  /// Notes that a call succeeded.
  synchronized void succeeded() {
    failures = 0;
    closedUntil = 0;
  }

  synchronized boolean isOpen() {
    return failures >= limit;
  }
}
