package fairgate.gate.limit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.gate.limit.LimitScript.RuleNumbers;
import fairgate.gate.limit.LimitVerdict.Violation;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// One version of all limits, with the caches of this node under it. A new version is a new object,
/// so no cached decision outlives its limits. Answers in flight go to the old object, which is no
/// longer read.
final class Policy {
  private static final int MOST_DENIALS = 100_000;

  private final Map<String, LimitRule> rules;
  private final Map<String, RuleNumbers> numbers;
  private final Map<String, Lease> leases = new ConcurrentHashMap<>();
  private final DenialCache denials = new DenialCache(MOST_DENIALS);

  Policy(List<LimitRule> rules) {
    this.rules = rules.stream().collect(Collectors.toMap(LimitRule::name, Function.identity()));
    this.numbers = rules.stream().collect(Collectors.toMap(LimitRule::name, RuleNumbers::of));
  }

  /// The limit of this name; null when it is off.
  @Nullable LimitRule rule(String name) {
    return rules.get(name);
  }

  /// The numbers of one of its limits for the script.
  RuleNumbers numbers(LimitRule rule) {
    return Objects.requireNonNull(numbers.get(rule.name()), "not a limit of this policy");
  }

  DenialCache denials() {
    return denials;
  }

  /// Calls that this node took in advance under this policy and never granted.
  long unused() {
    return leases.values().stream().mapToLong(Lease::unused).sum();
  }

  /// The lease of a shared key. There is at most one per route.
  Lease lease(LimitRule rule, String key, long now) {
    Lease lease = leases.get(key);
    return lease != null ? lease : leases.computeIfAbsent(key, _ -> new Lease(rule, now));
  }

  /// Caches the keys that Redis has refused, until the time at which they let a call pass again.
  ///
  /// A refused key lets nobody pass before that time, unless calls that were answered 503 are given
  /// back; this node then drops the entry. The time is measured from before the script was sent, so
  /// it ends no later than in Redis. Entries expire after ten seconds at most, because another node
  /// may give calls back, and Redis may be emptied or its clock moved. Times are
  /// `System.nanoTime()`.
  static final class DenialCache {
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
}
