package fairgate.platform.observe;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The readiness of this server: the last known state of each dependency.
///
/// Checks run in the background; callers never wait for them. A dependency counts as down until its
/// first check, when a check fails, and when it takes longer than two seconds.
public final class Health {
  private static final Logger LOG = LoggerFactory.getLogger(Health.class);
  private static final long TIMEOUT_MILLIS = 2000;
  private static final Status UNCHECKED = Status.down("not checked yet");

  /// The state of a dependency.
  ///
  /// @param degraded whether it works with restrictions; still ready
  /// @param detail a message for the operator; never a secret
  public record Status(boolean up, boolean degraded, String detail) {
    public static Status good() {
      return new Status(true, false, "");
    }

    public static Status worse(String detail) {
      return new Status(true, true, detail);
    }

    public static Status down(String detail) {
      return new Status(false, false, detail);
    }
  }

  /// The state of all dependencies.
  ///
  /// @param ready whether the server can serve pages: every dependency was checked once, and it is
  ///   not stopping
  /// @param selling whether it is ready and every dependency is up
  public record Report(
      boolean ready, boolean selling, boolean degraded, Map<String, Status> checks) {}

  private final Map<String, Supplier<Future<Status>>> checks = new ConcurrentSkipListMap<>();
  private final Map<String, Status> last = new ConcurrentSkipListMap<>();
  private volatile boolean stopping;
  private volatile @Nullable Metrics metrics;

  /// Publishes the state of every check as two gauges: `fairgate_check_up`, 1 when it is up, and
  /// `fairgate_check_degraded`, 1 when it works with restrictions.
  public void publish(Metrics to) {
    metrics = to;
    last.keySet().forEach(name -> publish(to, name));
  }

  private void publish(Metrics to, String name) {
    to.gauge(
        "fairgate_check_up",
        "Whether a dependency is up, as in /health/sale",
        () -> last.getOrDefault(name, UNCHECKED).up() ? 1 : 0,
        "check",
        name);
    to.gauge(
        "fairgate_check_degraded",
        "Whether a dependency works with restrictions, as in /health/sale",
        () -> last.getOrDefault(name, UNCHECKED).degraded() ? 1 : 0,
        "check",
        name);
  }

  private void publishNew(String name) {
    Metrics to = metrics;
    if (to != null) {
      publish(to, name);
    }
  }

  /// Adds a check of a dependency. The supplier must not block; an exception counts as down.
  public void register(String name, Supplier<Future<Status>> check) {
    checks.put(name, check);
    if (last.putIfAbsent(name, UNCHECKED) == null) {
      publishNew(name);
    }
  }

  /// Sets the state of a dependency that reports it itself.
  public void report(String name, Status status) {
    Status before = last.put(name, status);
    if (before == null) {
      publishNew(name);
    }
    // Engines are stopped intentionally while the server stops.
    if (stopping || before == null || before.up() == status.up()) {
      return;
    }
    if (!status.up()) {
      LOG.warn("{} is down: {}", name, status.detail());
    } else if (!before.equals(UNCHECKED)) {
      LOG.info("{} is up again", name);
    }
  }

  /// Checks now and then periodically until Vert.x is closed. The future completes after the first
  /// round.
  @CanIgnoreReturnValue
  public Future<Void> start(Vertx vertx, Duration every) {
    vertx.setPeriodic(every.toMillis(), _ -> refresh());
    return refresh();
  }

  /// Runs every check once.
  @CanIgnoreReturnValue
  public Future<Void> refresh() {
    return Future.join(checks.entrySet().stream().map(e -> ask(e.getKey(), e.getValue())).toList())
        .mapEmpty();
  }

  /// Makes the server permanently not ready, so that load balancers stop sending requests.
  public void stopping() {
    stopping = true;
  }

  public Report report() {
    Map<String, Status> now = new LinkedHashMap<>(last);
    boolean ready = !stopping && !now.containsValue(UNCHECKED);
    boolean up = now.values().stream().allMatch(Status::up);
    boolean degraded = now.values().stream().anyMatch(Status::degraded);
    return new Report(ready, ready && up, degraded, now);
  }

  private Future<Status> ask(String name, Supplier<Future<Status>> check) {
    return answer(check)
        .timeout(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
        .otherwise(failure -> Status.down(reason(failure)))
        .onSuccess(status -> report(name, status));
  }

  private static Future<Status> answer(Supplier<Future<Status>> check) {
    try {
      return check.get();
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }

  private static String reason(@Nullable Throwable failure) {
    if (failure instanceof java.util.concurrent.TimeoutException) {
      return "no answer within " + TIMEOUT_MILLIS + " ms";
    }
    if (failure instanceof ServiceUnavailable) {
      return String.valueOf(failure.getMessage());
    }
    return failure == null ? "unknown" : failure.getClass().getSimpleName();
  }
}
