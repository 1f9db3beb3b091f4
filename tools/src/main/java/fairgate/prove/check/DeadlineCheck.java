package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I44;

import java.util.HashMap;
import java.util.Map;

/// Compares how long each expired order could be paid with the payment window of its sale. The time
/// for which the payment provider failed does not count.
final class DeadlineCheck {
  /// Time in which the servers notice that the provider fails.
  private static final long NOTICE_MS = 5_000;

  /// The provider's clock is that of this process, and orders have Redis' clock.
  private static final long ROUNDING_MS = 100;

  private final Evidence evidence;
  private final InvariantResults tally;

  DeadlineCheck(Evidence evidence, InvariantResults tally) {
    this.evidence = evidence;
    this.tally = tally;
  }

  void check(String product, LedgerSnapshot ledger) {
    Map<String, Long> reserved = new HashMap<>();
    ledger.events().stream()
        .filter(event -> event.kind().equals("reserved"))
        .forEach(event -> reserved.put(event.order(), event.at()));
    for (LedgerSnapshot.Event event : ledger.events()) {
      Long from = reserved.get(event.order());
      if (!event.status().equals("expired") || !event.kind().equals("released") || from == null) {
        continue;
      }
      // The pauses are in Redis only.
      if (evidence.hasDataLoss(product)) {
        tally.excuse(I44);
        continue;
      }
      long payable = event.at() - from - failedBetween(from, event.at());
      tally.that(
          I44,
          payable + ROUNDING_MS >= ledger.rules().payMillis(),
          "%s expired after %d ms in which it could be paid, instead of %d",
          event.order(),
          payable,
          ledger.rules().payMillis());
    }
  }

  private long failedBetween(long from, long to) {
    return evidence.gateway().outages().stream()
        .mapToLong(one -> Math.min(to, one.to()) - Math.max(from, one.from() + NOTICE_MS))
        .filter(millis -> millis > 0)
        .sum();
  }
}
