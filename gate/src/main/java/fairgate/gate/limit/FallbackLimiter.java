package fairgate.gate.limit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Limits calls in this node's memory while Redis does not answer. Each node alive gets an equal
/// share of a limit, at least one call, counted as a rate. Times are `System.nanoTime()`.
final class FallbackLimiter {
  private final Cache<String, long[]> idleAt;

  /// @param max keys to count; those left out for long are forgotten first, and start anew
  FallbackLimiter(int max) {
    this.idleAt = Caffeine.newBuilder().maximumSize(max).build();
  }

  /// The grant of one call.
  ///
  /// @param waitNanos until all limits would let it pass; 0 when it was granted
  /// @param idleThen when each key is idle without later calls
  record Grant(
      List<LimitRule> rules, List<String> keys, int nodes, long waitNanos, List<Long> idleThen) {}

  /// Gives a granted call back; called once per call. Has no effect after the calls have expired.
  synchronized void giveBack(Grant share, long now) {
    for (int i = 0; i < share.idleThen().size(); i++) {
      LimitRule rule = share.rules().get(i);
      long[] idle = idleAt.getIfPresent(share.keys().get(i));
      boolean given = CountedCalls.isGivenBack(rule, LimitScript.RuleNumbers.of(rule));
      if (given && idle != null && now < share.idleThen().get(i)) {
        idle[0] = Math.max(now, idle[0] - interval(rule, share.nodes()));
      }
    }
  }

  /// Counts one call in all of these limits or in none.
  synchronized Grant take(List<LimitRule> rules, List<String> keys, int nodes, long now) {
    long wait = 0;
    for (int i = 0; i < rules.size(); i++) {
      LimitRule rule = rules.get(i);
      long after = Math.max(now, idle(keys.get(i), now)) + interval(rule, nodes);
      wait = Math.max(wait, after - now - interval(rule, nodes) * burst(rule, nodes));
    }
    List<Long> idleThen = new ArrayList<>(rules.size());
    for (int i = 0; i < rules.size() && wait <= 0; i++) {
      long[] idle = idleAt.get(keys.get(i), _ -> new long[] {now});
      idle[0] = Math.max(now, idle[0]) + interval(rules.get(i), nodes);
      idleThen.add(idle[0]);
    }
    return new Grant(rules, keys, nodes, Math.max(0, wait), idleThen);
  }

  private long idle(String key, long now) {
    long[] idle = idleAt.getIfPresent(key);
    return idle == null ? now : idle[0];
  }

  private static long interval(LimitRule rule, int nodes) {
    return TimeUnit.SECONDS.toNanos(rule.seconds()) / rule.max() * nodes;
  }

  private static int burst(LimitRule rule, int nodes) {
    return Math.max(1, rule.burst() / nodes);
  }
}
