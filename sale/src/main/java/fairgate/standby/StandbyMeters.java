package fairgate.standby;

import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import java.util.concurrent.atomic.AtomicLong;

/// The metrics of waiting lists.
final class StandbyMeters {
  private final AtomicLong people = new AtomicLong();
  private final Counter offered;
  private final Counter refused;
  private final Counter lost;

  StandbyMeters(Metrics metrics) {
    metrics.gauge(
        "fairgate_waiting_list_people",
        "People on the waiting lists of all sales; the same on every node.",
        people::get);
    this.offered = counter(metrics, "offered");
    this.refused = counter(metrics, "refused");
    this.lost = counter(metrics, "lost");
  }

  private static Counter counter(Metrics metrics, String outcome) {
    return metrics.counter(
        "fairgate_waiting_list_offers_total",
        "Tries of this node to reserve units for people on waiting lists.",
        "outcome",
        outcome);
  }

  void people(long now) {
    people.set(now);
  }

  void offered() {
    offered.increment();
  }

  void refused() {
    refused.increment();
  }

  /// Somebody else got the units.
  void lost() {
    lost.increment();
  }
}
