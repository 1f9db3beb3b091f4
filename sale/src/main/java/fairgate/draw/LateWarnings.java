package fairgate.draw;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.kernel.OrderDraws;

/// When to warn of draws whose beacon round is late: once a minute for each draw. Times are seconds
/// since 1970.
final class LateWarnings {
  private static final long MAX_DRAWS = 10_000;
  private static final long MINUTE = 60;

  private final Cache<String, Long> warned = Caffeine.newBuilder().maximumSize(MAX_DRAWS).build();

  /// Whether the round that was due then should be known by now.
  static boolean isLate(long due, long now) {
    return now > due + OrderDraws.LATE_SECONDS;
  }

  /// True at most once a minute for each draw that is late; the caller then logs.
  boolean isDue(String draw, long due, long now) {
    Long last = warned.getIfPresent(draw);
    if (!isLate(due, now) || (last != null && now < last + MINUTE)) {
      return false;
    }
    warned.put(draw, now);
    return true;
  }
}
