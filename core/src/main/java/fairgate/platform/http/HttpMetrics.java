package fairgate.platform.http;

import fairgate.kernel.ErrorCode;
import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The metrics of the web server. Routes are tagged with their pattern, so callers cannot create
/// tags.
final class HttpMetrics {
  private static final Logger ACCESS = LoggerFactory.getLogger("fairgate.access");
  private static final int STATUSES = 600;

  private final Metrics metrics;
  private final Map<ErrorCode, Counter> refusals = new EnumMap<>(ErrorCode.class);
  private final RouteMeter unrouted;
  final LongAdder connections = new LongAdder();
  final LongAdder streams = new LongAdder();
  final LongAdder pending = new LongAdder();

  /// Connections closed because no trusted proxy opened them.
  final Counter untrusted;

  /// Connections closed immediately, because there were too many or the server was stopping.
  final Counter refusedConnections;

  /// Connections aborted because the client did not read.
  final Counter aborted;

  /// Streamed replies that a failure of the server ended early.
  final Counter truncated;

  HttpMetrics(Metrics metrics) {
    this.metrics = metrics;
    for (ErrorCode code : ErrorCode.values()) {
      refusals.put(
          code,
          metrics.counter(
              "fairgate.http.refusals", "Error bodies sent, by code", "code", code.name()));
    }
    unrouted = route("other", "none");
    untrusted =
        metrics.counter(
            "fairgate.http.strangers", "Connections with a PROXY header from an untrusted peer");
    refusedConnections =
        metrics.counter("fairgate.http.turned.away", "Connections closed because of their number");
    aborted =
        metrics.counter("fairgate.http.cut", "Connections aborted because the client did not read");
    truncated =
        metrics.counter(
            "fairgate.http.truncated", "Streamed replies that a failure of the server ended early");
    metrics.gauge("fairgate.http.connections", "Open connections", connections::sum);
    metrics.gauge("fairgate.http.streams", "Open event streams", streams::sum);
    metrics.gauge("fairgate.http.pending", "Requests waiting for their answer", pending::sum);
  }

  RouteMeter route(String method, String path) {
    return new RouteMeter(method, path);
  }

  RouteMeter unrouted() {
    return unrouted;
  }

  void refused(ErrorCode code) {
    Counter counter = refusals.get(code);
    if (counter != null) {
      counter.increment();
    }
  }

  /// The timers of one route by status, created when a status is first sent.
  final class RouteMeter {
    private final String method;
    private final String path;
    private final AtomicReferenceArray<Timer> timers = new AtomicReferenceArray<>(STATUSES);

    private RouteMeter(String method, String path) {
      this.method = method;
      this.path = path;
    }

    /// Records a reply, and writes it to the access log when that is enabled.
    void record(int status, long nanos, Request request) {
      if (ACCESS.isTraceEnabled()) {
        ACCESS.trace("{} {} {} {} us", request.method(), request.path(), status, nanos / 1000);
      }
      Timer timer = timers.get(status);
      if (timer == null) {
        timer =
            metrics.timer(
                "fairgate.http.requests",
                "Time from a request's head to its answer",
                "method",
                method,
                "route",
                path,
                "status",
                Integer.toString(status));
        timers.set(status, timer);
      }
      timer.record(nanos, TimeUnit.NANOSECONDS);
    }
  }
}
