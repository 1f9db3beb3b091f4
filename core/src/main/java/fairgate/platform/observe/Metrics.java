package fairgate.platform.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;

/// The metrics of this server in Prometheus format. Names are `fairgate_<what>_<unit>`; tags are
/// few and never contain client input.
///
/// Create a meter once and keep it: looking it up costs more than counting.
public final class Metrics {
  private static final Duration[] BOUNDS = {
    Duration.ofMillis(1),
    Duration.ofMillis(5),
    Duration.ofMillis(25),
    Duration.ofMillis(100),
    Duration.ofMillis(500),
    Duration.ofMillis(2500)
  };

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  /// A counter, created on first use.
  ///
  /// @param tags name, value, name, value, ...
  public Counter counter(String name, String help, String... tags) {
    return Counter.builder(name).description(help).tags(tags).register(registry);
  }

  /// A timer with buckets from 1 ms to 2.5 s, created on first use.
  public Timer timer(String name, String help, String... tags) {
    return Timer.builder(name)
        .description(help)
        .tags(tags)
        .serviceLevelObjectives(BOUNDS)
        .register(registry);
  }

  /// Registers a gauge whose value is read at every scrape, on the scraping thread. The supplier is
  /// kept.
  public void gauge(String name, String help, Supplier<Number> value, String... tags) {
    Gauge _ =
        Gauge.builder(name, value)
            .description(help)
            .tags(tags)
            .strongReference(true)
            .register(registry);
  }

  /// Adds the version of this program, as the jar says it, and the metrics of this JVM: memory,
  /// garbage collection, threads and processor.
  @SuppressWarnings("resource") // The listeners live as long as the process.
  public void watchJvm() {
    String version =
        Objects.requireNonNullElse(Metrics.class.getPackage().getImplementationVersion(), "dev");
    gauge("fairgate_version", "1, with the version of this program", () -> 1, "version", version);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new JvmGcMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
  }

  /// All metrics in Prometheus' text format.
  public String scrape() {
    return registry.scrape();
  }

  public MeterRegistry registry() {
    return registry;
  }
}
