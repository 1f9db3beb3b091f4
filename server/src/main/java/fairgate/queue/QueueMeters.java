package fairgate.queue;

import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;

/// What the queue counts on this node.
final class QueueMeters {
  private final Counter admitted;
  private final Counter ready;
  private final Counter missed;
  private final Counter absent;
  private final Counter closed;

  QueueMeters(Metrics metrics) {
    String ended = "fairgate_queue_ended_total";
    String help = "Places that ended without a purchase";
    this.admitted =
        metrics.counter("fairgate_queue_admitted_total", "People moved from waiting to active");
    this.ready = metrics.counter("fairgate_queue_ready_total", "People whose turn came");
    this.missed = metrics.counter(ended, help, "reason", "window");
    this.absent = metrics.counter(ended, help, "reason", "presence");
    this.closed = metrics.counter(ended, help, "reason", "closed");
  }

  void passed(ExpireScript.Run expired, AdmitScript.Pass pass) {
    admitted.increment(pass.admitted());
    ready.increment(pass.ready().size());
    missed.increment(expired.missed());
    absent.increment(pass.passedOver());
    closed.increment(expired.closed());
  }
}
