package fairgate.link;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.LongSupplier;

/// A sliding-window rate limit per key, counted in the memory of this node. Safe for use by any
/// thread.
final class LocalBudget {
  private static final int MAX_KEYS = 50_000;

  private final Cache<String, ArrayDeque<Long>> calls;
  private final int limit;
  private final long window;
  private final LongSupplier nanos;

  /// @param nanos `System.nanoTime`, or a test's
  LocalBudget(int limit, Duration window, LongSupplier nanos) {
    this.calls = Caffeine.newBuilder().maximumSize(MAX_KEYS).expireAfterAccess(window).build();
    this.limit = limit;
    this.window = window.toNanos();
    this.nanos = nanos;
  }

  /// Takes one call. Returns zero if it is granted, otherwise the time to wait.
  Duration spend(String key) {
    return look(key, true);
  }

  /// Zero if a call would be granted, otherwise the time to wait.
  Duration wait(String key) {
    return look(key, false);
  }

  private Duration look(String key, boolean spend) {
    long now = nanos.getAsLong();
    Duration[] wait = {Duration.ZERO};
    var _ =
        calls
            .asMap()
            .compute(
                key,
                (_, had) -> {
                  ArrayDeque<Long> times = had == null ? new ArrayDeque<>() : had;
                  while (!times.isEmpty() && times.getFirst() - (now - window) <= 0) {
                    times.removeFirst();
                  }
                  if (times.size() >= limit) {
                    wait[0] = Duration.ofNanos(Math.max(1, times.getFirst() + window - now));
                  } else if (spend) {
                    times.addLast(now);
                  }
                  return times;
                });
    return wait[0];
  }
}
