package fairgate.gate.limit;

import fairgate.gate.limit.LimitScript.RuleNumbers;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// One version of all limits, with this node's cached refusals under it. A new version is a new
/// object, so no cached refusal outlives its limits. Answers in flight go to the old object, which
/// is no longer read.
final class Policy {
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
