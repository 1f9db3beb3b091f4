package fairgate.queue;

import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;

/// The metrics of the queue on this node.
final class QueueMeters {
  private final Counter admitted;
  private final Counter ready;
  private final Counter missed;
  private final Counter absent;
  private final Counter noShow;
  private final Counter closed;
  private final Counter halts;

  QueueMeters(Metrics metrics) {
    String ended = "fairgate_queue_ended_total";
    String help = "Places that ended without a purchase";
    this.admitted =
        metrics.counter("fairgate_queue_admitted_total", "People moved from waiting to active");
    this.ready = metrics.counter("fairgate_queue_ready_total", "People whose turn came");
    this.missed = metrics.counter(ended, help, "reason", "window");
    this.absent = metrics.counter(ended, help, "reason", "presence");
    this.noShow = metrics.counter(ended, help, "reason", "no_show");
    this.closed = metrics.counter(ended, help, "reason", "closed");
    this.halts =
        metrics.counter(
            "fairgate_queue_presence_halts_total",
            "Passes that kept absent people, because an unusual share was absent");
  }

  void expired(ExpireScript.Run run) {
    missed.increment(run.missed());
    closed.increment(run.closed());
    noShow.increment(run.absent());
  }

  void admitted(AdmitScript.Pass pass) {
    admitted.increment(pass.admitted());
    ready.increment(pass.ready().size());
    absent.increment(pass.passedOver());
    halts.increment(pass.kept() > 0 ? 1 : 0);
  }
}
