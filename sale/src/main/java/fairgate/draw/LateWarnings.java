package fairgate.draw;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;

/// When to warn of draws whose beacon round is late: once a minute for each draw.
final class LateWarnings {
  /// Sources have a round a few seconds after its time.
  static final long GRACE_SECONDS = 10;

  private static final Duration EVERY = Duration.ofMinutes(1);
  private static final long MAX_DRAWS = 10_000;

  private final Cache<String, Boolean> warned =
      Caffeine.newBuilder().maximumSize(MAX_DRAWS).expireAfterWrite(EVERY).build();

  /// Whether to warn of a draw now. The caller does.
  ///
  /// @param lateSeconds for which the round is overdue
  boolean isDue(String draw, long lateSeconds) {
    return lateSeconds > GRACE_SECONDS && warned.asMap().putIfAbsent(draw, true) == null;
  }
}
