package fairgate.gate.limit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.gate.limit.LimitVerdict.Violation;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Caches the keys that Redis has refused, until the time at which they let a call pass again.
///
/// A refused key lets nobody pass before that time, unless calls that were answered 503 are given
/// back; this node then drops the entry. The time is measured from before the script was sent, so
/// it ends no later than in Redis. Entries expire after ten seconds at most, because another node
/// may give calls back, and Redis may be emptied or its clock moved. Times are `System.nanoTime()`.
final class DenialCache {
  private static final long BELIEVED = TimeUnit.SECONDS.toNanos(10);

  private final Cache<String, Denial> byKey;

  /// @param max keys to remember; more are forgotten, and asked for again
  DenialCache(int max) {
    this.byKey = Caffeine.newBuilder().maximumSize(max).build();
  }

  private record Denial(long opens, long believed) {}

  /// Records that a key, asked at `sent`, lets nobody pass for `waitNanos`.
  void note(String key, long sent, long waitNanos) {
    byKey.put(key, new Denial(sent + waitNanos, sent + Math.min(waitNanos, BELIEVED)));
  }

  /// Drops a key: a call that counted for it was given back.
  void forget(String key) {
    byKey.invalidate(key);
  }

  /// The violation that is known for the key; null when none is.
  @Nullable Violation against(String key, LimitRule rule, long now) {
    Denial denial = byKey.getIfPresent(key);
    return denial == null || now - denial.believed() >= 0
        ? null
        : new Violation(rule, denial.opens() - now, denial.believed() - now);
  }
}
