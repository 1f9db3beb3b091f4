package fairgate.platform.observe;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;

/// Logs once when work starts to wait for an unavailable dependency, and once when it continues,
/// however often it is retried. Thread-safe.
public final class OutageLog {
  private final Logger log;
  private final String work;
  private final long calmNanos;
  private final Group group;
  private final AtomicBoolean waiting = new AtomicBoolean();
  private volatile long failed;
  private volatile String logged = "";

  /// Works that one engine stops together. Of those with the same cause, only the first is logged.
  public static final class Group {
    private final Map<String, OutageLog> logged = new ConcurrentHashMap<>();

    private boolean isFirst(String cause, OutageLog work) {
      return logged.putIfAbsent(cause, work) == null;
    }

    private boolean end(String cause, OutageLog work) {
      return logged.remove(cause, work);
    }
  }

  /// @param work the waiting work, as named in the log
  public OutageLog(Logger log, String work) {
    this(log, work, Duration.ZERO);
  }

  /// @param group the works that are logged together with this one
  public OutageLog(Logger log, String work, Group group) {
    this(log, work, Duration.ZERO, group);
  }

  /// @param calm the time without a failed try after which the outage is over, for work of which
  ///   some tries may succeed while others fail
  public OutageLog(Logger log, String work, Duration calm) {
    this(log, work, calm, new Group());
  }

  private OutageLog(Logger log, String work, Duration calm, Group group) {
    this.log = log;
    this.work = work;
    this.calmNanos = calm.toNanos();
    this.group = group;
  }

  /// A try failed because a dependency is unavailable.
  public void waits(Throwable cause) {
    failed = System.nanoTime();
    if (waiting.compareAndSet(false, true)) {
      String reason = String.valueOf(cause.getMessage());
      logged = reason;
      if (group.isFirst(reason, this)) {
        log.warn("Waiting until an engine is back. work={} cause={}", work, reason);
      }
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
    if (waiting.compareAndSet(true, false) && group.end(logged, this)) {
      log.info("Going on after an outage. work={}", work);
    }
  }
}
