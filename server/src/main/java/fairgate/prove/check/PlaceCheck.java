package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I15;

import fairgate.crowd.proof.Act;
import fairgate.crowd.proof.Said;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What people in the queue were told over time.
final class PlaceCheck {
  private static final List<String> QUEUED = List.of("waiting", "active");
  private static final int NOT_FOUND = 404;

  private final Evidence evidence;
  private final Tally tally;

  PlaceCheck(Evidence evidence, Tally tally) {
    this.evidence = evidence;
    this.tally = tally;
  }

  void check(String product) {
    Map<String, Said> last = new HashMap<>();
    for (Said said : evidence.journal().of(Act.STATUS)) {
      if (!said.sale().equals(product) || said.answer().unknown()) {
        continue;
      }
      if (evidence.robbedBefore(said)) {
        tally.excuse(I15);
        continue;
      }
      tally.that(
          I15,
          said.answer().status() != NOT_FOUND,
          "the place of %s was forgotten: %s",
          said.who(),
          said.answer());
      if (said.ok() && QUEUED.contains(said.answer().text("queue_status"))) {
        Said before = last.put(said.session(), said);
        if (before != null && before.got() <= said.sent()) {
          long was = before.answer().number("people_ahead");
          long is = said.answer().number("people_ahead");
          tally.that(I15, is <= was, "%s had %d ahead, then %d", said.who(), was, is);
        }
      }
    }
  }
}
