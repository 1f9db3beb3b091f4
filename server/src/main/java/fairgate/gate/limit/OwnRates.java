package fairgate.gate.limit;

import fairgate.gate.limit.LimitScript.Terms;
import fairgate.gate.limit.LimitVerdict.Violation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// What a node counts by itself while it is surely the only one: rates that are over within a
/// second. The same arithmetic as in `limit.lua`, to the microsecond, by `System.nanoTime()`.
///
/// A key that nobody has used for a second says nothing any more; so there are two generations, the
/// older one is dropped each second, and memory is bounded by what is asked in two. Safe for use by
/// any thread; a call is counted in all of its limits or in none.
final class OwnRates {
  private static final long MICROS = TimeUnit.SECONDS.toMicros(1);

  private Map<String, Debt> young = new HashMap<>();
  private Map<String, Debt> old = new HashMap<>();
  private long turned = Long.MIN_VALUE;

  /// When a key will be idle, µs, and what is over in parts of one.
  private static final class Debt {
    private long idle;
    private long rest;
  }

  /// Whether all that such a limit counts is over within a second.
  static boolean counts(Terms terms) {
    return terms.kind() == 'r' && terms.p() * terms.burst() <= terms.q() * MICROS;
  }

  /// Counts one call in those of the limits that are counted here, or in none of them.
  ///
  /// @param keys one for each rule
  /// @return the limits in the way; empty when the call was counted
  synchronized List<Violation> take(
      Policy policy, List<LimitRule> rules, String[] keys, long nanos) {
    long now = Math.floorDiv(nanos, 1_000);
    turn(now);
    List<Violation> against = List.of();
    for (int i = 0; i < keys.length; i++) {
      Terms terms = policy.terms(rules.get(i));
      if (counts(terms)) {
        long over = debt(find(keys[i]), terms, now) + terms.p() - terms.p() * terms.burst();
        if (over > 0) {
          against = against.isEmpty() ? new ArrayList<>() : against;
          against.add(
              new Violation(
                  rules.get(i), TimeUnit.MICROSECONDS.toNanos(Math.ceilDiv(over, terms.q()))));
        }
      }
    }
    if (against.isEmpty()) {
      add(policy, rules, keys, now, 1);
    }
    return against;
  }

  /// A call that was counted does not happen after all.
  synchronized void giveBack(Policy policy, List<LimitRule> rules, String[] keys, long nanos) {
    long now = Math.floorDiv(nanos, 1_000);
    turn(now);
    add(policy, rules, keys, now, -1);
  }

  /// What a key owes, in 1/q µs: what Redis is to count at least.
  synchronized long owed(String key, Terms terms, long nanos) {
    return counts(terms) ? debt(find(key), terms, Math.floorDiv(nanos, 1_000)) : 0;
  }

  /// Redis says what a key owes, in 1/q µs; it may owe more here already.
  synchronized void learn(String key, Terms terms, long owed, long nanos) {
    long now = Math.floorDiv(nanos, 1_000);
    turn(now);
    if (counts(terms) && owed > debt(find(key), terms, now)) {
      Debt debt = young.computeIfAbsent(key, _ -> new Debt());
      debt.idle = now + owed / terms.q();
      debt.rest = owed % terms.q();
    }
  }

  /// How many keys are remembered.
  synchronized int size() {
    return young.size() + old.size();
  }

  private void add(Policy policy, List<LimitRule> rules, String[] keys, long now, int calls) {
    for (int i = 0; i < keys.length; i++) {
      Terms terms = policy.terms(rules.get(i));
      if (counts(terms)) {
        Debt debt = find(keys[i]);
        long owed = Math.max(0, debt(debt, terms, now) + calls * terms.p());
        if (debt == null) {
          debt = new Debt();
          young.put(keys[i], debt);
        }
        debt.idle = now + owed / terms.q();
        debt.rest = owed % terms.q();
      }
    }
  }

  /// What the key owes now, in 1/q µs.
  private static long debt(@Nullable Debt debt, Terms terms, long now) {
    if (debt == null || debt.idle < now) {
      return 0;
    }
    // Under another policy it may owe more than can be owed.
    long owed = Math.multiplyExact(Math.min(debt.idle - now, MICROS), terms.q()) + debt.rest;
    return Math.min(owed, terms.p() * terms.burst());
  }

  private @Nullable Debt find(String key) {
    Debt debt = young.get(key);
    if (debt == null) {
      debt = old.remove(key);
      if (debt != null) {
        young.put(key, debt);
      }
    }
    return debt;
  }

  private void turn(long now) {
    if (turned == Long.MIN_VALUE) {
      turned = now;
    } else if (now - turned > MICROS) {
      // Whatever is in the older one was last used before the younger one began.
      old = now - turned > 2 * MICROS ? new HashMap<>() : young;
      young = new HashMap<>();
      turned = now;
    }
  }
}
