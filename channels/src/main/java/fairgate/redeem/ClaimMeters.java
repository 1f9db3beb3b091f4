package fairgate.redeem;

import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;

/// Counts the results of claims.
final class ClaimMeters {
  private final Counter claimed;
  private final Counter replayed;
  private final Counter refused;
  private final Counter limited;
  private final Counter banned;
  private final Counter unavailable;
  private final Counter malformed;
  private final Counter runOut;

  ClaimMeters(Metrics metrics) {
    this.claimed = counter(metrics, "claimed");
    this.replayed = counter(metrics, "replayed");
    this.refused = counter(metrics, "refused");
    this.limited = counter(metrics, "limited");
    this.banned = counter(metrics, "banned");
    this.unavailable = counter(metrics, "unavailable");
    this.malformed = counter(metrics, "malformed");
    this.runOut = counter(metrics, "run_out");
  }

  void count(ClaimOutcome outcome) {
    Counter counter =
        switch (outcome) {
          case ClaimOutcome.Claimed done -> done.replayed() ? replayed : claimed;
          case ClaimOutcome.Refused _, ClaimOutcome.Risky _ -> refused;
          case ClaimOutcome.Limited _ -> limited;
          case ClaimOutcome.Banned _ -> banned;
          case ClaimOutcome.Unavailable _ -> unavailable;
          case ClaimOutcome.RunOut _ -> runOut;
          case ClaimOutcome.NoOrderNumber _, ClaimOutcome.Ambiguous _ -> malformed;
        };
    counter.increment();
  }

  private static Counter counter(Metrics metrics, String outcome) {
    return metrics.counter("fairgate_claims", "Claims of orders", "outcome", outcome);
  }
}
