package fairgate.gate.limit;

import fairgate.gate.limit.LimitRule.Semantics;
import java.util.ArrayList;
import java.util.List;

/// One limit by its definition, and the times of all calls it has admitted, microseconds.
///
/// The definition is the stated worst case itself: a call passes if, counted from each earlier call
/// on, there then are no more calls than a rate's burst plus what the time since is worth, or than
/// a window's number in its time. So the worst case is both never passed and reached.
final class LimitDefinition {
  private static final long SECOND = 1_000_000;

  private final LimitRule rule;
  private final List<Long> admitted = new ArrayList<>();

  LimitDefinition(LimitRule rule) {
    this.rule = rule;
  }

  LimitRule rule() {
    return rule;
  }

  void admit(long now) {
    admitted.add(now);
  }

  /// Time passes: all that is remembered is older by so much.
  void age(long micros) {
    admitted.replaceAll(time -> time - micros);
  }

  boolean admits(long now) {
    int count = 1;
    for (int i = admitted.size() - 1; i >= 0; i--) {
      count++;
      if (isTooMany(count, now - admitted.get(i))) {
        return false;
      }
    }
    return true;
  }

  /// Whether so many calls, the first of which came so long ago, break the limit.
  private boolean isTooMany(int count, long since) {
    if (rule.semantics() == Semantics.WINDOW) {
      return count > rule.max() && since < rule.seconds() * SECOND;
    }
    // count > burst + since * most / seconds, without dividing
    return SECOND * (count - rule.burst()) * rule.seconds() > since * rule.max();
  }

  /// The time until a call would pass.
  long waits(long now) {
    long low = 0;
    long high = rule.seconds() * SECOND + 1;
    while (low < high) {
      long middle = (low + high) / 2;
      if (admits(now + middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
}
