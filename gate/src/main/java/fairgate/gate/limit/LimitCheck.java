package fairgate.gate.limit;

import fairgate.gate.limit.LimitPlan.Policy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One call and the keys of its limits. Equal for calls that count in the same limits, which can be
/// batched; calls with different nonces are never equal.
final class LimitCheck {
  private final Policy policy;
  private final List<LimitRule> rules;
  private final String[] keys;
  private final LimitFacts.@Nullable Nonce once;
  private final int hash;

  private LimitCheck(
      Policy policy, List<LimitRule> rules, String[] keys, LimitFacts.@Nullable Nonce once) {
    this.policy = policy;
    this.rules = rules;
    this.keys = keys;
    this.once = once;
    this.hash = Arrays.hashCode(keys) * 31 + (once == null ? 0 : once.key().hashCode());
  }

  static LimitCheck of(Policy policy, LimitPlan plan, LimitFacts facts) {
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
        ? new LimitCheck(policy, rules, keys, facts.once())
        : compact(policy, rules, keys, facts);
  }

  private static LimitCheck compact(
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
    return new LimitCheck(policy, some, names.toArray(String[]::new), facts.once());
  }

  LimitCheck withoutNonce() {
    return once == null ? this : new LimitCheck(policy, rules, keys, null);
  }

  boolean isEmpty() {
    return keys.length == 0 && once == null;
  }

  Policy policy() {
    return policy;
  }

  List<LimitRule> rules() {
    return rules;
  }

  String key(int rule) {
    return keys[rule];
  }

  LimitFacts.@Nullable Nonce once() {
    return once;
  }

  /// A key contains the name of its limit, so rules need not be compared.
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LimitCheck that
        && hash == that.hash
        && policy.equals(that.policy)
        && Arrays.equals(keys, that.keys)
        && Objects.equals(nonce(), that.nonce());
  }

  @Override
  public int hashCode() {
    return hash;
  }

  private @Nullable String nonce() {
    return once == null ? null : once.key();
  }
}
