package fairgate.link;

import fairgate.kernel.ClientAddress;
import fairgate.platform.observe.Metrics;
import fairgate.platform.run.LocalBudgets;
import fairgate.platform.run.LocalBudgets.Budget;
import io.micrometer.core.instrument.Counter;
import java.time.Duration;
import java.util.function.LongSupplier;

/// Limits how many unknown codes one client ([ClientAddress#key]) may try on this node in any
/// minute. It keeps a stranger from trying all codes, and from causing a database query for each. A
/// code that this node knows to be absent costs nothing.
final class MissBudget {
  /// The name in refusals: that of the setting.
  static final String NAME = "links.misses";

  private static final Duration WINDOW = Duration.ofMinutes(1);

  private final LocalBudgets tries;
  private final Budget budget;
  private final Counter missed;
  private final Counter refused;

  /// @param nanos `System.nanoTime`, or a test's
  MissBudget(int perMinute, Metrics metrics, LongSupplier nanos) {
    this.tries = new LocalBudgets(nanos);
    this.budget = new Budget(NAME, perMinute, WINDOW);
    this.missed =
        metrics.counter(
            "fairgate.link.misses", "Codes tried that lead nowhere and were not known to");
    this.refused =
        metrics.counter(
            "fairgate.link.misses.refused", "Redirects refused: the address tried too many codes");
  }

  /// Counts a try of an unknown code. Zero if the address may try it, otherwise the time to wait.
  Duration take(ClientAddress address) {
    Duration wait = tries.spend(budget, address.key());
    if (wait.isPositive()) {
      refused.increment();
    }
    return wait;
  }

  void missed() {
    missed.increment();
  }

  /// The code was found, or nothing is known of it: the try does not count.
  void giveBack(ClientAddress address) {
    tries.giveBack(NAME, address.key());
  }
}
