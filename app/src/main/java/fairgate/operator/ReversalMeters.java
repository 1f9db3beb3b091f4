package fairgate.operator;

import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;

/// Counts what operators took back by themselves. Together with the granted appeals
/// (`fairgate_appeals_total`) these are the false positives.
final class ReversalMeters {
  private final Counter bans;
  private final Counter places;

  ReversalMeters(Metrics metrics) {
    this.bans = counter(metrics, "ban");
    this.places = counter(metrics, "place");
  }

  private static Counter counter(Metrics metrics, String decision) {
    return metrics.counter(
        "fairgate_reversals_total",
        "Decisions that operators took back: bans lifted, places put back in order",
        "decision",
        decision);
  }

  /// Counts bans that ended before their time.
  void lifted(int count) {
    bans.increment(count);
  }

  /// Counts places that are no longer held or behind others.
  void restored(int count) {
    places.increment(count);
  }
}
