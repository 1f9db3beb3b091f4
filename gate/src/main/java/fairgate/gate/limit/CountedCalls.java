package fairgate.gate.limit;

import fairgate.gate.limit.GiveBackScript.Row;
import fairgate.gate.limit.LimitScript.Answer;
import fairgate.gate.limit.LimitScript.RuleNumbers;

/// The calls that one run of `limit.lua` counted for one item. A call that is answered 503, or has
/// done nothing, is given back, once. Safe for use by any thread.
///
/// Only limits that last longer than a second give back: the others expire before a client that
/// respects `Retry-After` returns, and they hold off a flood meanwhile.
final class CountedCalls {
  private final LimitCheck check;
  private final Answer answer;
  private final long micros;
  private final GiveBackQueue backs;
  private int kept;

  /// @param micros the time of the run by Redis, µs
  CountedCalls(LimitCheck check, Answer answer, long micros, GiveBackQueue backs) {
    this.check = check;
    this.answer = answer;
    this.micros = micros;
    this.backs = backs;
    this.kept = answer.granted();
  }

  /// Gives one call back; called once per call.
  synchronized void giveBack() {
    kept--;
    for (int i = 0; i < check.rules().size(); i++) {
      LimitRule rule = check.rules().get(i);
      RuleNumbers numbers = check.policy().numbers(rule);
      if (numbers.isBrief()) {
        continue;
      }
      String key = check.key(i);
      Row row =
          rule.semantics() == LimitRule.Semantics.WINDOW
              ? new Row.Window(key, micros, kept)
              : new Row.Rate(key, micros + answer.owed(i) / numbers.q(), numbers.p(), numbers.q());
      backs.add(row, numbers.lifeMicros());
    }
  }
}
