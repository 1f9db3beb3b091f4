package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I15;

import fairgate.crowd.Answer;
import fairgate.crowd.proof.CallType;
import fairgate.crowd.proof.RecordedCall;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Checks the reported places over time: a place is not lost, no later one overtakes it, and a
/// visitor who keeps polling does not lose it for absence.
final class PlaceCheck {
  private static final List<String> QUEUED = List.of("waiting", "active");
  private static final int NOT_FOUND = 404;

  private final Evidence evidence;
  private final InvariantResults tally;

  PlaceCheck(Evidence evidence, InvariantResults tally) {
    this.evidence = evidence;
    this.tally = tally;
  }

  void check(String product, LedgerSnapshot ledger) {
    List<RecordedCall> ofSale =
        evidence.journal().of(CallType.STATUS).stream()
            .filter(call -> call.sale().equals(product))
            .toList();
    Map<String, List<RecordedCall>> looks = new HashMap<>();
    for (RecordedCall call : ofSale) {
      looks.computeIfAbsent(call.session(), _ -> new ArrayList<>()).add(call);
    }
    LedgerSnapshot.Rules rules = ledger.rules();
    for (List<RecordedCall> all : looks.values()) {
      answers(all);
    }
    // An active session is skipped after the shorter of both timeouts.
    long shorter =
        rules.showUpMillis() == 0
            ? rules.presenceMillis()
            : Math.min(rules.presenceMillis(), rules.showUpMillis());
    absence(looks.values(), ofSale, "presence", shorter);
    absence(looks.values(), ofSale, "no_show", rules.showUpMillis());
  }

  /// @param looks of one session, in the order of their answers
  private void answers(List<RecordedCall> looks) {
    RecordedCall last = null;
    for (RecordedCall call : looks) {
      if (call.answer().unknown()) {
        continue;
      }
      if (evidence.hasDataLossBefore(call)) {
        tally.excuse(I15);
        continue;
      }
      tally.that(
          I15,
          call.answer().status() != NOT_FOUND,
          "the place of %s was forgotten: %s",
          call.who(),
          call.answer());
      if (call.ok() && QUEUED.contains(call.answer().text("queue_status"))) {
        if (last != null && last.got() <= call.sent()) {
          tally.that(
              I15,
              isForward(last.answer(), call.answer()),
              "%s was at %s, then at %s",
              call.who(),
              last.answer(),
              call.answer());
        }
        last = call;
      }
    }
  }

  /// Whether a place has not moved back. A place whose window was closed, because no unit was free,
  /// is in active again, at the position that it had.
  private static boolean isForward(Answer was, Answer is) {
    String queue = was.text("queue_status");
    if (!queue.equals(is.text("queue_status"))) {
      return queue.equals("waiting");
    }
    String field = "queue_position_" + queue;
    // The order of a sale that shuffles is hidden until it opens, and never again.
    boolean wasHidden = was.number(field) < 0;
    return wasHidden || (is.number(field) >= 0 && is.number(field) <= was.number(field));
  }

  /// A visitor who got at least two replies per timeout is never absent. Time in which no visitor
  /// of the sale got a reply does not count as absence.
  ///
  /// @param reason for which places end that are absent for so long
  private void absence(
      Collection<List<RecordedCall>> sessions,
      List<RecordedCall> ofSale,
      String reason,
      long timeoutMillis) {
    if (timeoutMillis == 0) {
      return;
    }
    List<Long> reachable = Silence.reachableSince(ofSale, timeoutMillis);
    for (List<RecordedCall> looks : sessions) {
      RecordedCall expired =
          looks.stream().filter(call -> hasEnded(call, reason)).findFirst().orElse(null);
      if (expired != null && evidence.hasDataLossBefore(expired)) {
        tally.excuse(I15);
        continue;
      }
      long longest = expired == null ? 0 : Silence.longestMillis(looks, expired, reachable);
      tally.that(
          I15,
          expired == null || longest > timeoutMillis / 2,
          "the place of %s ended (%s) for absence of more than %d ms, and it was never unheard for"
              + " more than %d ms",
          looks.getFirst().who(),
          reason,
          timeoutMillis,
          longest);
    }
  }

  private static boolean hasEnded(RecordedCall call, String reason) {
    return call.ok()
        && call.answer().text("queue_status").equals("expired")
        && call.answer().text("ended").equals(reason);
  }
}
