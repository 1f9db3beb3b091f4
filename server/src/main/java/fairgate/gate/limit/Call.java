package fairgate.gate.limit;

import fairgate.gate.limit.LimitVerdict.Violation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One call on its way through the limits: their keys, and what this node has granted already.
final class Call {
  private final Policy policy;
  private final List<LimitRule> rules;
  private final String[] keys;
  private final Slice.@Nullable Part[] parts;
  private final boolean[] own;
  private final LimitFacts.@Nullable Once once;
  private @Nullable OwnRates counted;

  private Call(Policy policy, List<LimitRule> rules, String[] keys, LimitFacts facts) {
    this.policy = policy;
    this.rules = rules;
    this.keys = keys;
    this.parts = new Slice.@Nullable Part[keys.length];
    this.own = new boolean[keys.length];
    this.once = facts.once();
  }

  static Call of(Policy policy, LimitPlan plan, LimitFacts facts) {
    List<LimitRule> rules = plan.rules(policy);
    String[] keys = new String[rules.size()];
    int missing = 0;
    for (int i = 0; i < keys.length; i++) {
      String key = facts.key(rules.get(i), plan.route());
      if (key == null) {
        missing++;
      } else {
        keys[i] = key;
      }
    }
    return missing == 0
        ? new Call(policy, rules, keys, facts)
        : compact(policy, rules, keys, facts);
  }

  private static Call compact(
      Policy policy, List<LimitRule> rules, @Nullable String[] keys, LimitFacts facts) {
    List<LimitRule> some = new ArrayList<>(keys.length);
    List<String> names = new ArrayList<>(keys.length);
    for (int i = 0; i < keys.length; i++) {
      String key = keys[i];
      if (key != null) {
        some.add(rules.get(i));
        names.add(key);
      }
    }
    return new Call(policy, some, names.toArray(String[]::new), facts);
  }

  /// From here on nobody else is asked about what this node counts by itself.
  void leaveToOwn() {
    for (int i = 0; i < keys.length; i++) {
      own[i] = OwnRates.counts(policy.terms(rules.get(i)));
    }
  }

  /// What memory knows against it; empty when nothing.
  List<Violation> known(long now) {
    List<Violation> violations = List.of();
    for (int i = 0; i < keys.length; i++) {
      Violation violation = own[i] ? null : policy.denials().against(keys[i], rules.get(i), now);
      if (violation != null) {
        if (violations.isEmpty()) {
          violations = new ArrayList<>(keys.length);
        }
        violations.add(violation);
      }
    }
    return violations;
  }

  /// Has it counted by this node.
  ///
  /// @return what is in the way; empty when nothing is
  List<Violation> takeOwn(OwnRates rates, long now) {
    List<Violation> against = rates.take(policy, rules, keys, now);
    if (against.isEmpty()) {
      counted = rates;
    }
    return against;
  }

  /// Takes what slices have; true when that is all it needs.
  boolean takeSlices(long now) {
    boolean all = once == null;
    for (int i = 0; i < keys.length; i++) {
      LimitRule rule = rules.get(i);
      if (rule.isLeased() && !own[i]) {
        parts[i] = policy.slice(rule, keys[i], now).take(now);
      }
      all &= own[i] || parts[i] != null;
    }
    return all;
  }

  /// The call does not happen after all.
  void giveBack(long now) {
    if (counted != null) {
      counted.giveBack(policy, rules, keys, now);
      counted = null;
    }
    for (Slice.Part part : parts) {
      if (part != null) {
        part.giveBack();
      }
    }
  }

  /// What is still to be asked for.
  Open open() {
    int count = 0;
    for (int i = 0; i < keys.length; i++) {
      count += isOpen(i) ? 1 : 0;
    }
    if (count == keys.length) {
      return new Open(policy, rules, keys, once);
    }
    List<LimitRule> some = new ArrayList<>(count);
    String[] names = new String[count];
    for (int i = 0; i < keys.length; i++) {
      if (isOpen(i)) {
        names[some.size()] = keys[i];
        some.add(rules.get(i));
      }
    }
    return new Open(policy, some, names, once);
  }

  private boolean isOpen(int i) {
    return parts[i] == null && !own[i];
  }

  /// The limits of a call that Redis has to be asked about. Those of calls that count in the same
  /// limits are equal, and can be asked for together; whose nonces differ never are.
  static final class Open {
    private final Policy policy;
    private final List<LimitRule> rules;
    private final String[] keys;
    private final LimitFacts.@Nullable Once once;
    private final int hash;

    private Open(
        Policy policy, List<LimitRule> rules, String[] keys, LimitFacts.@Nullable Once once) {
      this.policy = policy;
      this.rules = rules;
      this.keys = keys;
      this.once = once;
      this.hash = Arrays.hashCode(keys) * 31 + (once == null ? 0 : once.key().hashCode());
    }

    Policy policy() {
      return policy;
    }

    List<LimitRule> rules() {
      return rules;
    }

    /// One for each rule.
    String key(int rule) {
      return keys[rule];
    }

    LimitFacts.@Nullable Once once() {
      return once;
    }

    /// A key says which limit it is of, so rules need no look.
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Open open
          && hash == open.hash
          && policy.equals(open.policy)
          && Arrays.equals(keys, open.keys)
          && Objects.equals(nonce(), open.nonce());
    }

    @Override
    public int hashCode() {
      return hash;
    }

    private @Nullable String nonce() {
      return once == null ? null : once.key();
    }
  }
}
