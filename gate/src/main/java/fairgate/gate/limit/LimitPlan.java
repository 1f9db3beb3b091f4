package fairgate.gate.limit;

import fairgate.gate.limit.LimitRule.Dimension;
import fairgate.gate.limit.LimitScript.RuleNumbers;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The limits of one kind of call. Made by [Limiter#plan]; follows changes of the policy.
public final class LimitPlan {
  private final String route;
  private final List<String> names;
  private volatile @Nullable Resolved resolved;

  private record Resolved(Policy policy, List<LimitRule> rules, Set<Dimension> needs) {}

  LimitPlan(String route, List<String> names) {
    this.route = route;
    this.names = List.copyOf(names);
  }

  /// The route's name in keys.
  String route() {
    return route;
  }

  /// The limits in force.
  List<LimitRule> rules(Policy policy) {
    return resolved(policy).rules();
  }

  /// The dimensions of these limits.
  Set<Dimension> needs(Policy policy) {
    return resolved(policy).needs();
  }

  private Resolved resolved(Policy policy) {
    Resolved known = resolved;
    if (known == null || !known.policy().equals(policy)) {
      List<LimitRule> rules = names.stream().map(policy::rule).filter(Objects::nonNull).toList();
      Set<Dimension> needs = EnumSet.noneOf(Dimension.class);
      rules.forEach(rule -> needs.add(rule.dimension()));
      known = new Resolved(policy, rules, needs);
      resolved = known;
    }
    return known;
  }

  /// One version of all limits, with this node's cached refusals under it. A new version is a new
  /// object, so no cached refusal outlives its limits. Answers in flight go to the old object,
  /// which is no longer read.
  static final class Policy {
    private final Map<String, LimitRule> rules;
    private final Map<String, RuleNumbers> numbers;
    private final RefusalCache refusals = new RefusalCache();

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

    RefusalCache refusals() {
      return refusals;
    }
  }
}
