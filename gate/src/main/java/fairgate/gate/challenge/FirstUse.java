package fairgate.gate.challenge;

import io.vertx.core.Future;
import java.time.Duration;

/// Uses up values that may be used once, on all nodes.
@FunctionalInterface
public interface FirstUse {
  /// Uses a value; true when it is the first time. Unknown when the future fails.
  ///
  /// @param life how long it is remembered
  Future<Boolean> of(String value, Duration life);
}
