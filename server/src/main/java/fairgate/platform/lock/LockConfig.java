package fairgate.platform.lock;

import java.time.Duration;

/// How processing locks behave.
///
/// @param enabled whether there are any; if not, everybody gets a lock that holds nobody back
/// @param timeout after which a lock ends unless it is renewed: how long an actor waits for a node
///   that died
/// @param limit after which a lock is renewed no more, however long the work takes; at least the
///   time-out
public record LockConfig(boolean enabled, Duration timeout, Duration limit) {
  /// Refuses a lock that could not live for its own time-out.
  public LockConfig {
    if (!timeout.isPositive() || limit.compareTo(timeout) < 0) {
      throw new IllegalArgumentException("a lock of " + timeout + " within " + limit);
    }
  }
}
