package fairgate.gate.limit;

import fairgate.gate.limit.LimitScript.RuleNumbers;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
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
}
