package fairgate.gate.limit;

import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
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
}
