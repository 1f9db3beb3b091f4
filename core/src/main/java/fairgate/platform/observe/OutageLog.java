package fairgate.platform.observe;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;

/// Logs once when work starts to wait for an unavailable dependency, and once when it continues,
/// however often it is retried. Thread-safe.
public final class OutageLog {
  private final Logger log;
  private final String work;
  private final long calmNanos;
  private final AtomicBoolean waiting = new AtomicBoolean();
  private volatile long failed;

  /// @param work the waiting work, as named in the log
  public OutageLog(Logger log, String work) {
    this(log, work, Duration.ZERO);
  }

  /// @param calm the time without a failed try after which the outage is over, for work of which
  ///   some tries may succeed while others fail
  public OutageLog(Logger log, String work, Duration calm) {
    this.log = log;
    this.work = work;
    this.calmNanos = calm.toNanos();
  }

  /// A try failed because a dependency is unavailable.
  public void waits(Throwable cause) {
    failed = System.nanoTime();
    if (waiting.compareAndSet(false, true)) {
      log.warn("Waiting until an engine is back. work={} cause={}", work, cause.getMessage());
    }
  }

  /// A try succeeded. Almost free while there is no outage.
  public void worked() {
    if (waiting.get() && System.nanoTime() - failed >= calmNanos) {
      over();
    }
  }

  /// Ends the outage without a success, because the work is done elsewhere.
  public void over() {
    if (waiting.compareAndSet(true, false)) {
      log.info("Going on after an outage. work={}", work);
    }
  }
}
