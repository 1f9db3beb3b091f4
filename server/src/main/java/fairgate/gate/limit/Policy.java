package fairgate.gate.limit;

import fairgate.gate.limit.LimitScript.Terms;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// One version of all limits, and all that this node has concluded under it. A new version is a new
/// object, so nothing concluded under the old one outlives it; answers still under way are noted in
/// the old one, which nobody asks any more.
final class Policy {
  private static final int MOST_DENIALS = 100_000;

  private final Map<String, LimitRule> rules;
  private final Map<String, Terms> terms;
  private final Map<String, Slice> slices = new ConcurrentHashMap<>();
  private final Denials denials = new Denials(MOST_DENIALS);

  Policy(List<LimitRule> rules) {
    this.rules = rules.stream().collect(Collectors.toMap(LimitRule::name, Function.identity()));
    this.terms = rules.stream().collect(Collectors.toMap(LimitRule::name, Terms::of));
  }

  /// The limit of this name; null when it is off.
  @Nullable LimitRule rule(String name) {
    return rules.get(name);
  }

  /// One of its limits, as the script is told of it.
  Terms terms(LimitRule rule) {
    return Objects.requireNonNull(terms.get(rule.name()), "not a limit of this policy");
  }

  Denials denials() {
    return denials;
  }

  /// How many calls this node took in advance under this policy and granted to nobody.
  long unused() {
    return slices.values().stream().mapToLong(Slice::unused).sum();
  }

  /// The slice of a leased key. There is one for each route at most.
  Slice slice(LimitRule rule, String key, long now) {
    Slice slice = slices.get(key);
    return slice != null ? slice : slices.computeIfAbsent(key, _ -> new Slice(rule, now));
  }
}
