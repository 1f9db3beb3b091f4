package fairgate.platform.lock;

import java.time.Duration;

/// The settings of processing locks.
///
/// @param enabled whether there are locks; otherwise every caller gets a lease that excludes nobody
/// @param timeout the time after which a lock expires unless it is renewed: an actor waits this
///   long for a dead node
/// @param limit the time after which a lock is no longer renewed; at least the timeout
public record LockConfig(boolean enabled, Duration timeout, Duration limit) {
  /// Throws IllegalArgumentException when the limit is shorter than the timeout.
  public LockConfig {
    if (!timeout.isPositive() || limit.compareTo(timeout) < 0) {
      throw new IllegalArgumentException("a lock of " + timeout + " within " + limit);
    }
  }
}
