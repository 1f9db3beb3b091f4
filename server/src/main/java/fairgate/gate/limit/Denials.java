package fairgate.gate.limit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.gate.limit.LimitVerdict.Violation;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The keys Redis has said no to, until they will let a call pass again.
///
/// That is exact, not a guess: what was counted is never taken back, so a key that lets nobody pass
/// before a time does not do so earlier. The time counts from before the script was sent, so it
/// ends at the latest when that of Redis does. For a Redis that was emptied or whose clock was put
/// forward, a refusal is not believed for more than ten seconds. Times are of `System.nanoTime()`.
final class Denials {
  private static final long BELIEVED = TimeUnit.SECONDS.toNanos(10);

  private final Cache<String, Denial> byKey;

  /// @param most keys to remember; more are forgotten, and asked for again
  Denials(int most) {
    this.byKey = Caffeine.newBuilder().maximumSize(most).build();
  }

  private record Denial(long opens, long believed) {}

  /// Notes that a key, when asked at `sent` or later, lets nobody pass for so long.
  void note(String key, long sent, long waitNanos) {
    byKey.put(key, new Denial(sent + waitNanos, sent + Math.min(waitNanos, BELIEVED)));
  }

  /// What is known against the key; null when nothing.
  @Nullable Violation against(String key, LimitRule rule, long now) {
    Denial denial = byKey.getIfPresent(key);
    return denial == null || now - denial.believed() >= 0
        ? null
        : new Violation(rule, denial.opens() - now, denial.believed() - now);
  }
}
