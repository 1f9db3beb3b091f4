package fairgate.redeem;

import fairgate.redeem.ClaimOutcome.Reason;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/// Makes refusals other than `CODES_RUN_OUT` reveal nothing about an order: one error code, and a
/// duration that does not depend on the reason.
final class UniformErrors {
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final RedeemConfig.Uniform config;

  UniformErrors(RedeemConfig.Uniform config) {
    this.config = config;
  }

  /// The outcome for the caller. Blocks until the next multiple of the grid if it replaces the
  /// outcome.
  ///
  /// @param start of the claim, in `System.nanoTime()`
  ClaimOutcome apply(ClaimOutcome outcome, long start) {
    if (!config.on() || !isAboutOrder(outcome)) {
      return outcome;
    }
    long end = System.nanoTime();
    end += restNanos(end - start, config.grid().toNanos());
    for (long rest = end - System.nanoTime(); rest > 0; rest = end - System.nanoTime()) {
      LockSupport.parkNanos(rest);
      if (Thread.currentThread().isInterrupted()) {
        return new ClaimOutcome.Unavailable(RETRY_AFTER);
      }
    }
    return new ClaimOutcome.Refused(Reason.ORDER_NOT_FOUND);
  }

  /// A wrong signature is refused before the order is read.
  private static boolean isAboutOrder(ClaimOutcome outcome) {
    return outcome instanceof ClaimOutcome.Ambiguous
        || (outcome instanceof ClaimOutcome.Refused(Reason reason)
            && reason != Reason.INVALID_SIGNATURE);
  }

  /// The time to the next multiple of the grid.
  static long restNanos(long spent, long grid) {
    return grid - spent % grid;
  }
}
