package fairgate.gate.limit;

import fairgate.gate.limit.LimitVerdict.Violation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One call, with the keys of its limits and the calls that this node has granted from its leases.
final class LimitCheck {
  private final Policy policy;
  private final List<LimitRule> rules;
  private final String[] keys;
  private final Lease.@Nullable Batch[] leased;
  private final LimitFacts.@Nullable Nonce once;

  private LimitCheck(Policy policy, List<LimitRule> rules, String[] keys, LimitFacts facts) {
    this.policy = policy;
    this.rules = rules;
    this.keys = keys;
    this.leased = new Lease.@Nullable Batch[keys.length];
    this.once = facts.once();
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
        ? new LimitCheck(policy, rules, keys, facts)
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
    return new LimitCheck(policy, some, names.toArray(String[]::new), facts);
  }

  /// The limits that are known to refuse it; empty when none is.
  List<Violation> known(long now) {
    List<Violation> violations = List.of();
    for (int i = 0; i < keys.length; i++) {
      Violation violation = policy.denials().against(keys[i], rules.get(i), now);
      if (violation != null) {
        if (violations.isEmpty()) {
          violations = new ArrayList<>(keys.length);
        }
        violations.add(violation);
      }
    }
    return violations;
  }

  /// Takes calls from leases; true when nothing remains to ask Redis for.
  boolean takeLeased(long now) {
    boolean all = once == null;
    for (int i = 0; i < keys.length; i++) {
      LimitRule rule = rules.get(i);
      if (rule.isLeased()) {
        leased[i] = policy.lease(rule, keys[i], now).take(now);
      }
      all &= leased[i] != null;
    }
    return all;
  }

  /// Returns the leased calls: the call is refused.
  void giveBack() {
    for (Lease.Batch batch : leased) {
      if (batch != null) {
        batch.giveBack();
      }
    }
  }

  /// The limits that Redis has to be asked about.
  RedisCheck remaining() {
    int count = 0;
    for (int i = 0; i < keys.length; i++) {
      count += needsRedis(i) ? 1 : 0;
    }
    if (count == keys.length) {
      return new RedisCheck(policy, rules, keys, once);
    }
    List<LimitRule> some = new ArrayList<>(count);
    String[] names = new String[count];
    for (int i = 0; i < keys.length; i++) {
      if (needsRedis(i)) {
        names[some.size()] = keys[i];
        some.add(rules.get(i));
      }
    }
    return new RedisCheck(policy, some, names, once);
  }

  private boolean needsRedis(int i) {
    return leased[i] == null;
  }

  /// The limits of a call that Redis has to be asked about. Equal for calls that count in the same
  /// limits, which can be batched; calls with different nonces are never equal.
  static final class RedisCheck {
    private final Policy policy;
    private final List<LimitRule> rules;
    private final String[] keys;
    private final LimitFacts.@Nullable Nonce once;
    private final int hash;

    private RedisCheck(
        Policy policy, List<LimitRule> rules, String[] keys, LimitFacts.@Nullable Nonce once) {
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

    /// The key of a rule.
    String key(int rule) {
      return keys[rule];
    }

    LimitFacts.@Nullable Nonce once() {
      return once;
    }

    /// A key contains the name of its limit, so rules need not be compared.
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof RedisCheck that
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
}
