package fairgate.gate.limit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// What one node lets pass by itself while Redis cannot be asked: of each limit an equal share for
/// each node alive, at least one call at once, counted as a rate in this node's memory. Times are
/// of `System.nanoTime()`.
final class LocalShare {
  private final Cache<String, long[]> idleAt;

  /// @param most keys to count; those left out for long are forgotten first, and start anew
  LocalShare(int most) {
    this.idleAt = Caffeine.newBuilder().maximumSize(most).build();
  }

  /// Counts one call in all of these limits, or in none.
  ///
  /// @return nanoseconds until all would let it pass; 0 when it was granted
  synchronized long take(List<LimitRule> rules, List<String> keys, int nodes, long now) {
    long wait = 0;
    for (int i = 0; i < rules.size(); i++) {
      LimitRule rule = rules.get(i);
      long after = Math.max(now, idle(keys.get(i), now)) + interval(rule, nodes);
      wait = Math.max(wait, after - now - interval(rule, nodes) * burst(rule, nodes));
    }
    for (int i = 0; i < rules.size() && wait <= 0; i++) {
      long[] idle = idleAt.get(keys.get(i), _ -> new long[] {now});
      idle[0] = Math.max(now, idle[0]) + interval(rules.get(i), nodes);
    }
    return Math.max(0, wait);
  }

  private long idle(String key, long now) {
    long[] idle = idleAt.getIfPresent(key);
    return idle == null ? now : idle[0];
  }

  private static long interval(LimitRule rule, int nodes) {
    return TimeUnit.SECONDS.toNanos(rule.seconds()) / rule.most() * nodes;
  }

  private static int burst(LimitRule rule, int nodes) {
    return Math.max(1, rule.burst() / nodes);
  }
}
