package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I22;

import fairgate.crowd.proof.RecordedCall;
import fairgate.prove.environment.CallLimit;
import fairgate.prove.environment.RunLog;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Compares refusals by a limit (429) with the calls that may count in it.
///
/// Those are all calls of its window with a reply other than 503, or without a reply. A caller with
/// fewer than a third of the permitted calls is not refused: a third is the share of each of three
/// servers while Redis is unavailable. The rest is a margin for counts that cannot be returned,
/// those of a server or a Redis that died before it had replied.
final class RefusalCheck {
  private static final int UNAVAILABLE = 503;
  private static final int TOO_MANY = 429;
  private static final int PARTS = 3;
  private static final String CODE = "RATE_LIMIT_EXCEEDED";

  private final Evidence evidence;
  private final InvariantResults tally;

  RefusalCheck(Evidence evidence, InvariantResults tally) {
    this.evidence = evidence;
    this.tally = tally;
  }

  void check() {
    for (CallLimit limit : CallLimit.values()) {
      Map<String, List<RecordedCall>> callers = new HashMap<>();
      for (RecordedCall recorded : evidence.journal().of(limit.act())) {
        callers.computeIfAbsent(limit.caller(recorded), _ -> new ArrayList<>()).add(recorded);
      }
      callers.values().forEach(calls -> calls(limit, calls));
    }
  }

  private void calls(CallLimit limit, List<RecordedCall> calls) {
    calls.sort(Comparator.comparingLong(RecordedCall::sent));
    for (int i = 0; i < calls.size(); i++) {
      RecordedCall call = calls.get(i);
      if (call.answer().unknown() || call.answer().status() == UNAVAILABLE) {
        continue;
      }
      long from = call.sent() - CallLimit.WINDOW.toNanos();
      List<RecordedCall> before = calls.subList(0, i).stream().filter(c -> c.got() > from).toList();
      boolean wasUnserved = before.stream().anyMatch(c -> c.answer().status() == UNAVAILABLE);
      boolean isRefused = isRefused(call);
      if (!wasUnserved && !isRefused) {
        continue;
      }
      long counted = before.stream().filter(c -> mayCount(c, call)).count();
      if (isRefused && (hasDataLoss(from, call) || counted >= limit.max() / PARTS)) {
        tally.excuse(I22);
        continue;
      }
      tally.that(
          I22,
          !isRefused,
          "%s of %s was refused by a limit of %d after %d calls that count and %d answered 503",
          call.act(),
          call.who(),
          limit.max(),
          counted,
          before.stream().filter(c -> c.answer().status() == UNAVAILABLE).count());
    }
  }

  private static boolean isRefused(RecordedCall call) {
    return call.answer().status() == TOO_MANY && CODE.equals(call.answer().error());
  }

  /// Whether an earlier call may be in the count when the other one is made.
  private static boolean mayCount(RecordedCall earlier, RecordedCall call) {
    boolean isUnserved = earlier.answer().status() == UNAVAILABLE;
    return !isRefused(earlier) && (!isUnserved || earlier.got() > call.sent());
  }

  /// An older copy of Redis has counts that were taken back.
  private boolean hasDataLoss(long from, RecordedCall call) {
    return evidence.runLog().losses().stream()
        .mapToLong(RunLog.Loss::to)
        .anyMatch(to -> to > from && to < call.got());
  }
}
