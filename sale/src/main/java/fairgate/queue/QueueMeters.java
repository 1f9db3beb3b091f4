package fairgate.queue;

import fairgate.kernel.ProductId;
import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;

/// The metrics of the queue on this node.
final class QueueMeters {
  private final Counter admitted;
  private final Counter ready;
  private final Counter missed;
  private final Counter absent;
  private final Counter noShow;
  private final Counter closed;
  private final Counter halts;
  private final WaitTimers waits;

  QueueMeters(Metrics metrics) {
    this.waits = new WaitTimers(metrics);
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

  void admitted(ProductId sale, AdmitScript.Pass pass) {
    if (!pass.waits().isEmpty()) {
      Timer wait = waits.of(sale);
      pass.waits().forEach(millis -> wait.record(millis, TimeUnit.MILLISECONDS));
    }
    admitted.increment(pass.admitted());
    ready.increment(pass.ready().size());
    absent.increment(pass.passedOver());
    halts.increment(pass.kept() > 0 ? 1 : 0);
  }

  /// The histograms of waiting times, by sale. Thread-safe.
  private static final class WaitTimers {
    /// The maximum number of sales with a histogram, to bound the labels. The one that admitted
    /// nobody for the longest time is removed.
    private static final int MAX_SALES = 50;

    private static final Duration[] BOUNDS = {
      Duration.ofSeconds(1),
      Duration.ofSeconds(5),
      Duration.ofSeconds(15),
      Duration.ofMinutes(1),
      Duration.ofMinutes(5),
      Duration.ofMinutes(15),
      Duration.ofMinutes(30),
      Duration.ofHours(1),
      Duration.ofHours(2)
    };

    private final MeterRegistry registry;
    private final SequencedMap<ProductId, Timer> timers =
        new LinkedHashMap<>(MAX_SALES, 0.75f, true);

    WaitTimers(Metrics metrics) {
      this.registry = metrics.registry();
    }

    synchronized Timer of(ProductId sale) {
      Timer known = timers.get(sale);
      if (known != null) {
        return known;
      }
      if (timers.size() >= MAX_SALES) {
        Timer eldest = timers.pollFirstEntry().getValue();
        var _ = registry.remove(eldest);
        eldest.close();
      }
      Timer added =
          Timer.builder("fairgate_queue_wait_seconds")
              .description("Time from joining, or from the opening if later, to the admission")
              .tag("sale", sale.value())
              .serviceLevelObjectives(BOUNDS)
              .register(registry);
      timers.put(sale, added);
      return added;
    }
  }
}
