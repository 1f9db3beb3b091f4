package fairgate.platform.observe;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
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

/// Whether this server can serve: the last known state of each dependency.
///
/// Checks run in the background and are never waited for by a caller. A check that has not answered
/// yet counts as down, and so does one that fails or takes longer than two seconds.
public final class Health {
  private static final Logger LOG = LoggerFactory.getLogger(Health.class);
  private static final long PATIENCE_MILLIS = 2000;

  /// The state of one dependency.
  ///
  /// @param degraded whether it works, but worse than it should; still ready
  /// @param detail what an operator should know; never a secret
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

  /// All dependencies at one instant.
  ///
  /// @param ready whether every one is up and the server is not stopping
  public record Report(boolean ready, boolean degraded, Map<String, Status> checks) {}

  private final Map<String, Supplier<Future<Status>>> checks = new ConcurrentSkipListMap<>();
  private final Map<String, Status> last = new ConcurrentSkipListMap<>();
  private volatile boolean stopping;

  /// Adds a dependency to be asked. The supplier must not block; an exception counts as down.
  public void register(String name, Supplier<Future<Status>> check) {
    checks.put(name, check);
    last.putIfAbsent(name, Status.down("not checked yet"));
  }

  /// Sets the state of a dependency that reports by itself.
  public void report(String name, Status status) {
    Status before = last.put(name, status);
    if (before != null && before.up() != status.up()) {
      LOG.warn("{} is {} {}", name, status.up() ? "up" : "down", status.detail());
    }
  }

  /// Checks now and then every so often, until Vert.x is closed. The future completes after the
  /// first round.
  @CanIgnoreReturnValue
  public Future<Void> start(Vertx vertx, Duration every) {
    vertx.setPeriodic(every.toMillis(), _ -> refresh());
    return refresh();
  }

  /// Asks every dependency once.
  @CanIgnoreReturnValue
  public Future<Void> refresh() {
    return Future.join(checks.entrySet().stream().map(e -> ask(e.getKey(), e.getValue())).toList())
        .mapEmpty();
  }

  /// From now on not ready: balancers stop sending. There is no way back.
  public void stopping() {
    stopping = true;
  }

  public Report report() {
    Map<String, Status> now = new LinkedHashMap<>(last);
    boolean up = now.values().stream().allMatch(Status::up);
    boolean degraded = now.values().stream().anyMatch(Status::degraded);
    return new Report(up && !stopping, degraded, now);
  }

  private Future<Status> ask(String name, Supplier<Future<Status>> check) {
    return answer(check)
        .timeout(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
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
      return "no answer within " + PATIENCE_MILLIS + " ms";
    }
    return failure == null ? "unknown" : failure.getClass().getSimpleName();
  }
}
